"""Programs of users: effects of what is called in other ways than by its name."""

import numpy as np, functools
def bump(y): y[0]+=.5; return y
def h1(x):
    y=x*1; g=bump; return np.sum(y)*np.sum(g(y))
def h2(x):
    y=x*1; g=lambda: np.add(y,1.,out=y); return np.sum(y)*np.sum(g())
def h3(x, fn=bump):
    y=x*1; return np.sum(y)*np.sum(fn(y))
def h4(x):
    y=x*1; fs=[bump]; return np.sum(y)*np.sum(fs[0](y))
def make(): return bump
def h5(x):
    y=x*1; return np.sum(y)*np.sum(make()(y))
def h6(x):
    y=x*1; p=functools.partial(bump,y); return np.sum(y)*np.sum(p())
class C:
    def __call__(s,y): y[0]*=2; return y
def h7(x):
    y=x*1; return np.sum(y)*np.sum(C()(y))
def h8(x):
    y=x*1; c=C(); return np.sum(y)*np.sum(c(y))
def h9(x):
    n=x[0]
    def tick():
        nonlocal n; n=n+x[1]; return n
    return n*tick()*n
N=0.0
def tickg(v):
    global N; N=v; return v
def h10(x):
    global N
    N=x[0]
    return N*tickg(x[1])*N
def h11(x):
    a=x[0]; return a+(a:=a*2)*a
class B:
    def __init__(s,y): y[0]+=1.5; s.v=y[0]
def h12(x):
    y=x*1; return np.sum(y)*B(y).v
class Op:
    def __init__(s,y): s.y=y
    def __add__(s,o): s.y[0]*=2; return s.y[0]+o
    def __len__(s): s.y[0]*=3; return 2
    def __bool__(s): s.y[0]*=1.5; return True
    def __iter__(s): s.y[0]*=1.25; return iter(s.y)
    def __neg__(s): s.y[1]*=2; return s.y[1]
    def __contains__(s,k): s.y[2]*=2; return True
    def __eq__(s,o): s.y[2]*=3; return True
    def __float__(s): s.y[0]*=2; return 2.0
def h13(x):
    y=x*1; o=Op(y); return y[0]*(o+1.0)*y[0]
def h14(x):
    y=x*1; o=Op(y); return y[0]*len(o)*y[0]
def h15(x):
    y=x*1; o=Op(y); return y[0]*(1.0 if o else 2.0)*y[0]
def h16(x):
    y=x*1; o=Op(y); return y[0]*sum(o)*y[0]
def h17(x):
    y=x*1; o=Op(y); return y[1]*-o*y[1]
def h18(x):
    y=x*1; o=Op(y); return y[2]*(3 in o)*y[2]
def h19(x):
    y=x*1; o=Op(y); return y[2]*(o==3)*y[2]
def h20(x):
    log=[x[0],x[1]]; return len(log)*log.pop()*len(log)
def h21(x):
    log=[x[0],x[1]]; t=(log[-1], log.append(x[2]), log[-1]); return t[0]*t[2]
def h22(x):
    y=x*1; assert np.sum(y)<np.sum(bump(y)); return y[0]**2
def h23(x):
    y=x*1; k=[bump]; f=(lambda v: v[0]) if x[0]>0 else k[0]; return y[0]*f(bump(y))*y[0]
def h24(x):
    y=x*1; d={"f":bump}; return y[0]*d["f"](y)[0]*y[0]
def h25(x):
    y=x*1; return y[0]*[f(y)[0] for f in (bump,bump)][1]*y[0]
def h26(x):
    y=x*1; return y[0]*(lambda v: bump(v)[0])(y)*y[0]
def h27(x):
    y=x*1; return y[0]*max(bump(y)[0],0.1)*y[0]
def h28(x):
    y=x*1; return y[0]*getattr(C(),"__call__")(y)[0]*y[0]
def h29(x):
    y=x*1; return y[0]*next(bump(y)[0] for _ in range(1))*y[0]
def h30(x):
    y=x*1; y[0]*=y[0]*functools.reduce(lambda a,b: a*bump(y)[0],[1.0,2.0]); return y[0]*y[1]

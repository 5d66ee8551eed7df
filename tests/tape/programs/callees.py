"""Programs of users: effects of what is called in other ways than by its name."""

import numpy as np, functools
def bump(y): y[0]+=.5; return y
def h6(x):
    y=x*1; p=functools.partial(bump,y); return np.sum(y)*np.sum(p())
class C:
    def __call__(s,y): y[0]*=2; return y
N=0.0
def tickg(v):
    global N; N=v; return v
def h10(x):
    global N
    N=x[0]
    return N*tickg(x[1])*N
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
def h16(x):
    y=x*1; o=Op(y); return y[0]*sum(o)*y[0]
def h27(x):
    y=x*1; return y[0]*max(bump(y)[0],0.1)*y[0]
def h28(x):
    y=x*1; return y[0]*getattr(C(),"__call__")(y)[0]*y[0]
def h30(x):
    y=x*1; y[0]*=y[0]*functools.reduce(lambda a,b: a*bump(y)[0],[1.0,2.0]); return y[0]*y[1]

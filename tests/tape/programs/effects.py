"""Programs of users."""

import numpy as np, math, functools
def bump(y,k=1.0): y[0]+=k; return y
def e5(x):
    y=x*1
    if bump(y)[0]>0 and bump(y)[0]>100: return 0.0
    return np.sum(y**2)
def e7(x):
    y=x*1; f=lambda a,b=bump(y)[0],*c,**k: a*b*k["z"]; return f(y[0],z=bump(y)[0])*y[0]
def e8(x):
    y=x*1; y[0]=bump(y)[0]+y[0]*2; a,y[1],*b=y[0],bump(y)[0],y[2],y[0]; return a*y[1]*b[0]*b[1]
def e9(x):
    y=x*1; s=f"{bump(y)[0]}"; return y[0]*np.sum(y)
def e12(x):
    y=x*1
    while (s:=bump(y)[0])<5: pass
    return s*y[0]*(t:=y[1])*t
def e13(x):
    y=x*1; v=y[1:]; u=v[::-1]; y*=2; v+=u; u[0]=y[0]; return np.sum(y**2)+v[0]*u[1]
def e17(x):
    class A:
        tot=0.0
        def __init__(s): s.items=[]
        def __iadd__(s,v): s.items.append(v); A.tot+=v; return s
        def __getattr__(s,n):
            if n.startswith("_"): raise AttributeError(n)
            return math.sin(s.items[0])
        def __enter__(s): return s
        def __exit__(s,*a): s.items.append(x[2]); return True
        def __contains__(s,v): return v in s.items
        def __eq__(s,o): return False
        __hash__=None
        def __bool__(s): s.items.append(x[1]); return True
        @staticmethod
        def st(v): return math.exp(v)
        @classmethod
        def cl(c,v): return c.tot*math.cos(v)
        @functools.cached_property
        def cp(s): return math.sqrt(s.items[0])
    a=A(); a+=x[0]; a+=x[1]
    with a as q: q+=x[0]; raise ValueError
    if a: pass
    r=a.foo*A.st(x[1])*a.cl(x[0])*a.cp
    return r+sum(a.items)+len(a.items)
def e19(x):
    m=np.zeros((3,3)); m[np.diag_indices(3)]=x; m[[0,1],[1,2]]+=x[:2]; m[...,0]-=x[1]; m[m==0]=x[2]; m.T[1]*=2; np.fill_diagonal(m,x*2); return np.sum(m**2)
def e20(x):
    y=np.empty(3); y[:]=x; w=y.view(); w[0]=5.; return np.sum(y*y*x)
def e22(x):
    st=[(1.0,x)]; s=0.0
    while st:
        k,v=st.pop()
        s=s+k*v[0]
        if len(v)>1: st.append((k*v[1],v[1:])); st.insert(0,(0.5,v[1:]))
    return s
def e23(x):
    try:
        try: y=x[5]
        except IndexError as e: y=x[0]; raise KeyError("z") from e
        finally: y=y*x[1]
    except KeyError: y=y*2
    else: y=0
    return y
def e27(x):
    return max(x.max(),np.max(x*2))+min(x)
def e28(x):
    k=int(x[0]*3.3); return x[k%3]*math.floor(x[2])+x[-1]**k+divmod(x[2],x[1])[1]+abs(-x[1])+x[0]//1*x[1]
def e30(x, _c=[0]):
    _c[0]+=1; y=x*1; np.add.at(y,[0,0],x[1]); np.multiply(y,2,out=y); return np.sum(np.cumsum(y)**2)
def e31(x):
    u=np.linspace(0,x[0],5); v=np.arange(3)*x; w=np.interp(x[1],[0,1,2],x); return np.sum(u)+np.sum(v)+w+np.polyval(x,2.0)+np.trapezoid(x,dx=x[0])

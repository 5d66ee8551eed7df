"""Programs of users."""

import functools, math
import numpy as np
from scipy import special, stats, linalg

class Layer:
    def __init__(self, w, b):
        self.w = np.array([w, 2*w]); self.b = np.full(2, b)
    def __call__(self, x):
        return np.tanh(self.w*x + self.b)
    @property
    def norm(self): return math.sqrt(np.sum(self.w**2))
def p_class(x):
    l = Layer(x[0], x[1]); return np.sum(l(x[2])) + l.norm
class Vec:
    __slots__=("a","b")
    def __init__(self,a,b): self.a=a; self.b=b
    def __add__(self,o): return Vec(self.a+o.a, self.b+math.cos(o.b))
    def __mul__(self,s): return Vec(self.a*s,self.b*s)
    __rmul__=__mul__
    def __getitem__(self,i): return math.sin((self.a,self.b)[i])
    def __iter__(self): yield math.exp(self.a); yield self.b
    def __len__(self): return 2
COUNT=0
def p_global(x):
    global COUNT
    COUNT+=1
    return np.sum(x*x)*1.0
def p_try(x):
    try:
        y = math.log(-x[0]);
    except ValueError:
        y = math.log(x[0])
    return y*x[1]
def p_tolist(x): return sum(v*v for v in x.tolist())
def p_item(x): return float(x[0])*x.item(1)*np.float64(x[2])
@functools.lru_cache(None)
def cached(v): return math.sin(v)*v
def p_lru(x): return cached(x[0])*cached(x[0])*cached(x[1])
def p_aaa(x):
    return np.sum(np.apply_along_axis(lambda r: r/np.sum(r*r),1,np.outer(x,x)))
def p_real(x):
    w=x*(1+2j); w.real=x**2; w.imag = x**3
    return np.sum(np.abs(w)**2)
def p_setattr(x):
    class O: pass
    o=O(); a=np.ones(3); y=np.sum(a*x); setattr(o,"w",a); o.w[0]=9.; vars(o)["v"]=a; o.v[1]=x[0]; object.__setattr__(o,"z",a); o.z[2]=3.; return y+np.sum(a*x**2)
def p_cm(x):
    import contextlib
    @contextlib.contextmanager
    def ctx(v): yield math.sin(v)
    with ctx(x[0]) as s: r=s*x[1]
    return r
def p_stats(x): return stats.norm.logpdf(x, loc=x[0], scale=2.0).sum()+special.logsumexp(x)+stats.norm(x[0],1.5).logpdf(x[1])
def p_matrix(x):
    A=np.outer(x,x)+np.eye(3)*3; L=np.linalg.cholesky(A); A[0,0]+=x[1]; return np.sum(L)+np.linalg.det(A)+linalg.solve(A,x).sum()
def p_math(x): return math.hypot(x[0],x[1])+math.atan2(x[0],x[2])+math.fsum(x)+math.prod(x)+math.pow(x[0],2)
def p_rng(x):
    rng=np.random.default_rng(0); return np.sum(rng.normal(x,x[0]*0+1.0)*x)+rng.normal(x[0],x[1])
def p_class_attr(x):
    class M:
        reg=[]
        def add(self,v): self.reg.append(v); M.last=v; return self
    m=M().add(x[0]).add(x[1]*x[0]); return M.reg[0]*M.reg[1]+M.last

"""Programs of users."""

import collections, copy, dataclasses, enum, functools, heapq, itertools, logging, math
import numpy as np
from dataclasses import dataclass, field
from scipy import special, stats, linalg
import operator

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
def p_vec(x):
    v=Vec(x[0],x[1])+Vec(x[2],x[0]); w = 2.0*v*x[1]; a,b = w
    return v[0]*w[1]+a*b+sum(w)
def p_gen(x):
    def g(x):
        for v in x: yield math.sin(v)*v
    it=g(x); first=next(it); return first*sum(it)
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
def p_choice(x):
    table={"a":math.sin,"b":np.cos,"c":lambda v: v*v}
    return sum(table[k](v) for k,v in zip("abc",x))
def p_tolist(x): return sum(v*v for v in x.tolist())
def p_flat(x):
    y=x.reshape(3,1)*np.ones((3,2));
    for i in range(6): y.flat[i]=y.flat[i]*2+i*x[0]
    return np.sum(y*y)
def p_item(x): return float(x[0])*x.item(1)*np.float64(x[2])
def p_reduce(x): return functools.reduce(lambda a,b:a*math.sin(b), x, 1.0)*functools.reduce(operator.mul, list(x))
def p_heap(x):
    h=[]
    for i,v in enumerate(x): heapq.heappush(h,(v,i))
    return heapq.heappop(h)[0]*2+heapq.heappop(h)[0]*3
def p_memo(x):
    memo={}
    def fib(n):
        if n<2: return x[n]
        if n not in memo: memo[n]=fib(n-1)*math.sin(fib(n-2))
        return memo[n]
    return fib(6)
def p_deepcopy(x):
    d={"a":[x[0],x[1:]], "b":np.zeros(2)}
    e=copy.deepcopy(d); e["a"][1][0]=x[0]; e["b"][0]=x[1]
    return d["a"][0]*np.sum(d["a"][1])+np.sum(e["a"][1])*np.sum(e["b"])
@functools.lru_cache(None)
def cached(v): return math.sin(v)*v
def p_lru(x): return cached(x[0])*cached(x[0])*cached(x[1])
@dataclass
class Cfg:
    k: float; w: object = None; hist: list = field(default_factory=list)
    def __post_init__(self): self.kk = math.sqrt(self.k) if self.k>0 else 0.0
    def run(self,x):
        self.hist.append(x); return self.kk*x
def p_dc(x):
    c=Cfg(x[0]); r=c.run(x[1])+c.run(x[2]); c=dataclasses.replace(c,k=x[1]); return r*c.kk*len(c.hist)
def p_vectorize(x):
    f=np.vectorize(lambda a,b: a*math.sin(b) if a>b else a*b); return np.sum(f(x,x[::-1]))
def p_aaa(x):
    return np.sum(np.apply_along_axis(lambda r: r/np.sum(r*r),1,np.outer(x,x)))
def p_nditer(x):
    s=0.0
    for v in np.nditer(x): s=s+v*v
    return s
def p_default(x,memo={}):
    memo["x"]=x[0]; return memo["x"]*np.sum(x)
def p_log(x):
    logging.getLogger("q").debug("x %.3f %s", x[0], x); s="%.3f"%x[0]; t=f"{x[1]:.2f}{x}"; print(end=""); return np.sum(x*x)
def p_real(x):
    w=x*(1+2j); w.real=x**2; w.imag = x**3
    return np.sum(np.abs(w)**2)
def p_sorted(x): return sum(i*v for i,v in enumerate(sorted(x,key=lambda v: math.sin(v))))
def p_order(x):
    y=x.copy()
    def bump(y): y[0]+=1.0*x[1]; return y
    return np.sum(y)*np.sum(bump(y)**2)+y[0]*bump(y)[0]
def p_order2(x):
    y=x*1
    return np.sum(y)-np.add(y,1.,out=y).sum()*y[0]
def p_out(x):
    a=np.ones(3); y=np.sum(a*x); np.negative(a,out=(a,)); t=np.zeros(3); np.divmod(a,2.,out=(a,t)); return y+np.sum(a*x**2)+np.sum(t*x)
def p_setattr(x):
    class O: pass
    o=O(); a=np.ones(3); y=np.sum(a*x); setattr(o,"w",a); o.w[0]=9.; vars(o)["v"]=a; o.v[1]=x[0]; object.__setattr__(o,"z",a); o.z[2]=3.; return y+np.sum(a*x**2)
def p_objarr(x):
    a=np.ones(3); y=np.sum(a*x); q=np.array([None],dtype=object); q[0]=a; q[0][0]=9.; q2=np.array([x[0],x[1]],dtype=object); return y+np.sum(a*x**2)+np.sum(q2*q2)
def p_rot(x):
    a,b,c=np.ones(3),2*np.ones(3),3*np.ones(3); s=0
    for i in range(5):
        a[0]=x[0]*i+1; s=s+np.sum(a*b*c*x); a,b,c=b,c,a
    return s
def p_list_effect(x):
    log=[]
    [log.append(v*v) for v in x]; len([log.append(v) for v in x]); any([log.append(v) for v in x]); sorted([1,2],key=lambda k: log.append(x[0]*k) or 0)
    return sum(log)
def p_star(x):
    def f(a,*b,c=1.0,**k): return a*sum(b)*c*k.get("d",1.0)
    return f(*x,c=x[0],**{"d":x[1]})
def p_cm(x):
    import contextlib
    @contextlib.contextmanager
    def ctx(v): yield math.sin(v)
    with ctx(x[0]) as s: r=s*x[1]
    return r
def p_nonlocal(x):
    t=0.0
    def add(v):
        nonlocal t; t+=v*v; return t
    [add(v) for v in x]
    return t*add(x[0])
def p_deque(x):
    d=collections.deque(maxlen=2)
    for v in x: d.append(v*v)
    c=collections.Counter(); dd=collections.defaultdict(float)
    for i,v in enumerate(x): dd[i%2]+=v*v
    return sum(d)*dd[0]+dd[1]
def p_it(x):
    return sum(a*b for a,b in itertools.product(x,x))+sum(itertools.accumulate(x,lambda a,b:a*b))+sum(itertools.starmap(lambda a,b:a*math.sin(b),zip(x,x[1:])))
def p_where(x): return np.sum(np.where(x>1,x**2,np.sin(x)))
def p_mask(x):
    r=np.sqrt(x**2); r[r>1]=1/r[r>1]; return np.sum(r)
class Enum1(enum.Enum):
    A=1; B=2
def p_enum(x):
    m=Enum1.A
    return np.sum(x**2) if m is Enum1.A else 0.0*x[0]
def p_stats(x): return stats.norm.logpdf(x, loc=x[0], scale=2.0).sum()+special.logsumexp(x)+stats.norm(x[0],1.5).logpdf(x[1])
def p_matrix(x):
    A=np.outer(x,x)+np.eye(3)*3; L=np.linalg.cholesky(A); A[0,0]+=x[1]; return np.sum(L)+np.linalg.det(A)+linalg.solve(A,x).sum()
def p_views(x):
    y=np.zeros((3,3)); y[1]=x; v=y.T; v[0]=x*2; d=y.reshape(-1); d[4]*=x[0]; y+=1; return np.sum(y**3)+np.sum(v[1]*d[3:6])
def p_math(x): return math.hypot(x[0],x[1])+math.atan2(x[0],x[2])+math.fsum(x)+math.prod(x)+math.pow(x[0],2)
def p_slice(x):
    rows=[x*k for k in range(3)]; rows[1:]=[r*2 for r in rows[1:]]; rows.reverse(); a,*b=rows; return np.sum(a*b[0])+np.sum(b[-1])
def p_rng(x):
    rng=np.random.default_rng(0); return np.sum(rng.normal(x,x[0]*0+1.0)*x)+rng.normal(x[0],x[1])
def p_ins(x):
    if not isinstance(x,np.ndarray) or not isinstance(x[0],float): raise TypeError
    if type(x) is not np.ndarray: raise TypeError
    return np.sum(x)*x[0]
def p_partial(x):
    g=functools.partial(pow, x[0]); h=functools.partial(np.dot,x); return h(x)*math.sin(x[0])
def p_class_attr(x):
    class M:
        reg=[]
        def add(self,v): self.reg.append(v); M.last=v; return self
    m=M().add(x[0]).add(x[1]*x[0]); return M.reg[0]*M.reg[1]+M.last
def p_fstr(x):
    d={}
    for i in range(3): d[f"k{i}"]=x[i]*i
    return sum(d.values())+sum(v*v for k,v in d.items() if k.endswith("2"))
def p_rec_struct(x):
    node=None
    for v in x: node=(v,node)
    s=0.0
    while node is not None: s=s*0.5+node[0]**2; node=node[1]
    return s

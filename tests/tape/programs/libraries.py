"""Programs of users."""

import numpy as np, cmath, statistics, json
def g1(x): return np.sum(np.r_[x,1:3,x]*np.r_[x[0],x,x,x[1]])+np.sum(np.r_[x,1:3,x[0]]**2)
def g2(x): return np.sum(np.c_[[x[0],1.],[x[1],x[2]]]**2)+np.sum(np.c_[x,x**2]**2)
def g3(x): return np.sum(np.block([[np.outer(x,x),x[:,None]],[x,np.ones((1))]])**2)
def g5(x): return cmath.atanh(x[0]+.3j).real+cmath.log(x[2],x[1]+3).real+abs(cmath.exp(1j*x[0])*x[1])+cmath.phase(x[0]+1j*x[1])+cmath.polar(x[0]+2j)[0]+cmath.sqrt(x[2]).real
def g6(x): return statistics.mean([x[0],x[1]*x[1]])+statistics.stdev(x)+statistics.median(x)+statistics.fmean(list(x))
def g7(x):
    rng=np.random.default_rng(1); p=rng.permutation(x); c=rng.choice(x,4); return np.sum(p*np.arange(3))+np.sum(c**2*np.arange(4))
def g8(x):
    a=x*1; np.random.default_rng(3).shuffle(a); return np.sum(a*np.arange(3.))
class N:
    def __init__(s,v): s.v=v
    def __float__(s): return float(s.v)
def g9(x): return float(N(x[0]))*x[1]
def g12(x):
    z=np.zeros(3); np.copyto(z,x); np.put(z,[1],x[0]); return z@z
def g13(x): json.dumps({"a":x[0]}); return x[0]*x[0]
def g14(x): y=x*1; w=y.view(); w[0]=5.*x[1]; return np.sum(y*y*x)
def g15(x): exec("t=x[0]*x[1]"); return eval("x[0]**2*x[1]")

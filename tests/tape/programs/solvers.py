"""Programs of users."""

import numpy as np, math
from scipy import optimize, integrate
def s_brentq(x): return optimize.brentq(lambda a: a**3 - x[0]*x[1], 0., 5.)*x[2]
def s_brentq_args(x): return optimize.brentq(lambda a,p,q: a**3 - p*q, 0., 5.,args=(x[0],x[1]))*x[2]
def s_newton(x): return optimize.newton(lambda a: a**3 - x[0]*x[1], 1.0)*x[2]
def s_fsolve(x): return np.sum(optimize.fsolve(lambda a: a**3-x, np.ones(3))*x)
def s_root(x): return np.sum(optimize.root(lambda a: [a[0]**3-x[0]*a[1], a[1]+a[0]-x[1]], np.ones(2),tol=1e-12).x)*x[2]
def s_rs(x): return optimize.root_scalar(lambda a: a**3-x[0],bracket=(0,3),method="brentq").root*x[1]
def s_min(x): return np.sum(optimize.minimize(lambda a: np.sum((a-x)**4)+np.sum(a**2), np.ones(3),tol=1e-12).x*x)
def s_minb(x): return np.sum(optimize.minimize(lambda a: np.sum((a-x)**2)+np.sum(a**2)*.1, np.ones(3),bounds=[(0,1)]*3,tol=1e-12).x*x)
def s_ms(x): return optimize.minimize_scalar(lambda a: (a-x[0])**4+a**2*x[1],tol=1e-12).x
def s_ls(x): return np.sum(optimize.least_squares(lambda a: np.exp(-a*x[:2])-x[1:], np.ones(2),xtol=1e-14,gtol=1e-14,ftol=1e-14).x)
def s_quad(x): return integrate.quad(lambda s: np.exp(-x[0]*s)*x[1], 0., x[2])[0]
def s_quadinf(x): return integrate.quad(lambda s: math.exp(-x[0]*s*s)*x[1], -np.inf, np.inf)[0]
def s_ivp(x): return np.sum(integrate.solve_ivp(lambda t,y: [y[1],-x[0]*y[0]-x[1]*y[1]], (0,2), x[1:],rtol=1e-10,atol=1e-12).y[:,-1])
def s_ivp2(x):
    class M:
        def __init__(s,k): s.k=k
        def rhs(s,t,y,c): return -s.k*y*c
        def run(s): return integrate.solve_ivp(s.rhs,(0,1),[1.0],t_eval=np.linspace(0,1,4),args=(x[1],),rtol=1e-10,atol=1e-12)
    r=M(x[0]).run(); assert r.success
    return np.sum(r.y[0])*x[2]
def s_odeint(x): return np.sum(integrate.odeint(lambda y,t,k: -k*y+np.sin(t), x[0], np.array([0.,.5,1.]),args=(x[1],),rtol=1e-11,atol=1e-12))
def s_fsum(x): return math.fsum([x[0],2*x[1]*x[2]])

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
def s_quadinf(x): return integrate.quad(lambda s: math.exp(-x[0]*s*s)*x[1], -np.inf, np.inf)[0]
def s_ivp(x): return np.sum(integrate.solve_ivp(lambda t,y: [y[1],-x[0]*y[0]-x[1]*y[1]], (0,2), x[1:],rtol=1e-10,atol=1e-12).y[:,-1])
def s_odeint(x): return np.sum(integrate.odeint(lambda y,t,k: -k*y+np.sin(t), x[0], np.array([0.,.5,1.]),args=(x[1],),rtol=1e-11,atol=1e-12))
def s_fsum(x): return math.fsum([x[0],2*x[1]*x[2]])
T=dict(rtol=1e-10, atol=1e-12)
SL=dict(method='SLSQP', options={'ftol': 1e-15, 'maxiter': 500})
LB=dict(method='L-BFGS-B', options={'ftol': 1e-16, 'gtol': 1e-11})
def ivp_begin(x):
    s = integrate.solve_ivp(lambda t, y: -x[0] * y + t, (x[1], 3.0), [1.0, 2.0], t_eval=[x[1], 2.0, 3.0], **T)
    return np.sum(s.y[:, 1:]) + np.sum(s.t) * x[0]
def fall(t, y, g): return [y[1], -g]
def hit(t, y, g): return y[0]
hit.terminal = True
hit.direction = -1
def ivp_event(x):
    s = integrate.solve_ivp(fall, (0, 100), [x[0], x[1]], args=(x[2],), events=hit, **T)
    return s.t_events[0][0] + s.y_events[0][0][1] * x[0] + s.y[1, -1] + s.t[-1] * x[1]
def ivp_event_list(x):
    def up(t, y): return y[0] - x[0]
    def down(t, y): return y[1]
    s = integrate.solve_ivp(lambda t, y: [y[1], -x[1] * y[0]], (0, 2.6), [0.0, x[2]], events=[up, down], dense_output=True, rtol=1e-9, atol=1e-11)
    return np.sum(s.t_events[0]) + s.t_events[1][0] * 2 + np.sum(s.y_events[1]) + s.y[0, -1]
def ivp_event_teval(x):
    s = integrate.solve_ivp(fall, (0, 100), [x[0], x[1]], args=(x[2],), events=[hit], t_eval=[0.0, 0.3, 0.6, 50.], **T)
    return np.sum(s.y) + s.t_events[0].sum() + len(s.t)
def ivp_dense(x):
    s = integrate.solve_ivp(lambda t, y: [y[1], -x[0] * y[0]], (0, 2), x[1:], dense_output=True, **T)
    return np.sum(s.sol(0.5)) + np.sum(s.sol([1.5, x[0]])[0])
def ivp_backward(x):
    s = integrate.solve_ivp(lambda t, y: -x[0] * y, (2.0, 0.0), x[1:], dense_output=True, t_eval=[1.5, 0.5], **T)
    return np.sum(s.y * [1., 2.]) + np.sum(s.sol([0.3, 1.7]))
def quad_points(x):
    return integrate.quad(lambda s: abs(s - 0.5) * x[0] + s * x[1], 0, x[2], points=[0.5])[0]
def quad_points_moving(x):
    return integrate.quad(lambda s: (1.0 if s > x[0] else 3.0) * x[1] * s, 0, x[2], points=[x[0]])[0]
def quad_cos(x):
    return integrate.quad(lambda s: np.exp(-x[0] * s), 0, x[2], weight="cos", wvar=x[1])[0] + integrate.quad(lambda s, a: s * a, 0, 1, args=(x[0],), weight="sin", wvar=5.0)[0]
def min_eq(x):
    c = {"type": "eq", "fun": lambda a: a @ a - x[0]}
    r = optimize.minimize(lambda a: np.sum((a - x) ** 2), x * 1.0, constraints=c, jac=lambda a: 2 * (a - x), **SL)
    return np.sum(r.x * [1., 2., 3.]) + r.fun
def min_ineq(x):
    cs = [{"type": "ineq", "fun": lambda a, s: s - a[0] - a[1], "args": (x[2] - 1.0,)}, {"type": "ineq", "fun": lambda a: a[2] + 100.0}]
    r = optimize.minimize(lambda a: np.sum((a - x) ** 2) + a[0] ** 4 * 0.1, np.ones(3), constraints=cs, jac=lambda a: 2 * (a - x) + np.array([.4 * a[0] ** 3, 0., 0.]), **SL)
    return np.sum(r.x * [1., 2., 3.])
def min_linear_eq(x):
    c = optimize.LinearConstraint([[1.0, 1.0, 1.0]], 1.0, 1.0)
    r = optimize.minimize(lambda a: np.sum((a - x) ** 2), np.ones(3), constraints=[c], bounds=[(0.0, None)] * 3, jac=lambda a: 2 * (a - x), **SL)
    return np.sum(r.x * [1., 2., 3.])
def min_nonlinear(x):
    c = optimize.NonlinearConstraint(lambda a: [a[0] * a[1], a[2]], [x[0], -np.inf], [np.inf, x[1]])
    r = optimize.minimize(lambda a: np.sum((a - x * [.1, .2, 3.0]) ** 2), np.ones(3), constraints=[c], jac=lambda a: 2 * (a - x * [.1, .2, 3.0]), **SL)
    return np.sum(r.x * [1., 2., 3.])
def min_bounds_moving(x):
    r = optimize.minimize(lambda a: np.sum((a - x) ** 2) + a[0] * a[1], np.ones(3), bounds=[(0, x[0] / 2), (None, None), (x[1] * 2, 9.)], jac=lambda a: 2 * (a - x) + np.array([a[1], a[0], 0.0]), **LB)
    return np.sum(r.x * [1., 2., 3.])
def min_bounds_obj(x):
    r = optimize.minimize(lambda a: np.sum((a - x) ** 2) + a[0] * a[1], np.ones(3), bounds=optimize.Bounds(0.0, x[1] * .9), jac=lambda a: 2 * (a - x) + np.array([a[1], a[0], 0.0]), **LB)
    return np.sum(r.x * [1., 2., 3.])
def min_scalar_bounds(x):
    r = optimize.minimize_scalar(lambda a: (a - x[0]) ** 2, bounds=(x[1], 5.0), method="bounded", options={"xatol": 1e-12})
    q = optimize.minimize_scalar(lambda a: (a - x[0]) ** 4 + a * a * x[1], bounds=(-2, 5.0), method="bounded", options={"xatol": 1e-12})
    return r.x * x[2] + q.x
def ls_bounds(x):
    r = optimize.least_squares(lambda a: np.exp(-a * x[:2]) - x[1:], np.full(2, .1), bounds=([0., 0.], [x[2], 9.]), xtol=1e-14, gtol=1e-14, ftol=1e-14)
    return np.sum(r.x) + r.cost
TT = np.linspace(0, 1, 12)
def slopes(t, a, b): return np.stack([np.exp(-b * t), -a * t * np.exp(-b * t)], 1)
def fit_plain(x):
    y = x[0] * np.exp(-x[1] * TT) + 0.1 * np.sin(7 * TT) * x[2]
    p, cov = optimize.curve_fit(lambda t, a, b: a * np.exp(-b * t), TT, y, p0=[1.0, 1.0], jac=slopes, ftol=1e-15, xtol=1e-15, gtol=1e-15)
    return p @ [1., 2.] + np.sum(cov) * 10
def fit_sigma(x):
    y = 2.0 * np.exp(-TT) + 0.1 * np.sin(7 * TT) * x[2]
    p, cov = optimize.curve_fit(lambda t, a, b: a * np.exp(-b * t) * x[0], TT, y, sigma=1 + TT * x[1], absolute_sigma=True, jac=lambda t, a, b: slopes(t, a, b) * x[0], ftol=1e-15, xtol=1e-15, gtol=1e-15)
    return p @ [1., 2.] + np.sqrt(np.diag(cov)) @ [1., 3.]
def fit_sigma_matrix(x):
    y = 2.0 * np.exp(-TT) + 0.1 * np.sin(7 * TT) * x[2]
    S = np.eye(12) * x[1] + 0.2 * np.exp(-np.abs(TT[:, None] - TT) * x[0])
    p, cov = optimize.curve_fit(lambda t, a, b: a * np.exp(-b * t), TT * x[0], y, sigma=S, jac=slopes, ftol=1e-15, xtol=1e-15, gtol=1e-15)
    return p @ [1., 2.] + np.sqrt(np.diag(cov)) @ [1., 3.]
def fit_bounds(x):
    y = 2.0 * np.exp(-TT) + 0.1 * np.sin(7 * TT) * x[2]
    p, cov = optimize.curve_fit(lambda t, a, b: a * np.exp(-b * t), TT, y, p0=[1., .5], bounds=([0, 0], [np.inf, x[0]]), jac=slopes, ftol=1e-15, xtol=1e-15, gtol=1e-15)
    return p @ [1., 2.]
def model(t, a, b): return a * t + b * t * t
def odeint_times(x):
    return np.sum(integrate.odeint(lambda y, t, k: -k * y + np.sin(t), x[0], np.array([0., x[2], 3.0]), args=(x[1],), rtol=1e-11, atol=1e-12))
def quad_peak(x):
    return integrate.quad(lambda s: 1 / (1e-3 + (s - x[0]) ** 2), 0, x[1])[0] * 1e-2

def root_of_number(x): return optimize.fsolve(lambda a: float(a.item()) ** 3 - x[0] * x[1], 1.0)[0]
def root_told(x):
    s, told, ended, _ = optimize.fsolve(lambda a: a**3 - x, np.ones(3), full_output=True)
    return np.sum(s * [1.0, 2.0, 3.0]) + np.sum(told["fvec"]) + ended * x[0] + told["nfev"] * 0
def root_broyden1(x): return np.sum(optimize.broyden1(lambda a: a + 0.1 * a**3 - x, np.ones(3), f_tol=1e-12) * x)
def root_broyden2(x): return np.sum(optimize.broyden2(lambda a: a + 0.1 * a**3 - x, np.ones(3), f_tol=1e-12) * x)
def root_anderson(x): return np.sum(optimize.anderson(lambda a: a + 0.1 * a**3 - x, np.ones(3), f_tol=1e-12) * x)
def root_newton_krylov(x): return np.sum(optimize.newton_krylov(lambda a: a + 0.1 * a**3 - x, np.ones(3), f_tol=1e-12) * x)
def fixed_points(x): return optimize.fixed_point(lambda a: np.cos(a * x[0]) * x[1] * 0.3, 0.5) * x[2] + np.sum(optimize.fixed_point(lambda a, c: np.cos(a * c) * 0.3, np.full(3, 0.5), args=(x,)))
def quartic(a, x): return np.sum((a - x) ** 2) + 0.1 * np.sum(a**4)
def slope_of_quartic(a, x): return 2 * (a - x) + 0.4 * a**3
GIVEN = dict(x0=np.ones(3), fprime=slope_of_quartic)
def min_bfgs(x): return np.sum(optimize.fmin_bfgs(quartic, args=(x,), gtol=1e-10, disp=0, **GIVEN) * x)
def min_cg(x): return np.sum(optimize.fmin_cg(quartic, args=(x,), gtol=1e-10, disp=0, **GIVEN) * x)
def min_ncg(x): return np.sum(optimize.fmin_ncg(quartic, args=(x,), avextol=1e-13, disp=0, **GIVEN) * x)
def min_lbfgs(x):
    a, least, told = optimize.fmin_l_bfgs_b(quartic, args=(x,), factr=1.0, pgtol=1e-12, bounds=[(0, 1.2)] * 3, **GIVEN)
    return np.sum(a * [1.0, 2.0, 3.0]) + least * x[0] + told["nit"] * 0
def min_lbfgs_both(x):
    a, least, _ = optimize.fmin_l_bfgs_b(lambda a: (quartic(a, x), slope_of_quartic(a, x)), np.ones(3), factr=1.0, pgtol=1e-12)
    return np.sum(a) + least * x[0]
def min_tnc(x): return np.sum(optimize.fmin_tnc(quartic, args=(x,), disp=0, ftol=1e-18, xtol=1e-14, pgtol=1e-14, **GIVEN)[0])
def min_slsqp(x): return np.sum(optimize.fmin_slsqp(quartic, args=(x,), iprint=0, acc=1e-16, eqcons=[lambda a, x: a[0] + a[1] - x[2] * 0.5], **GIVEN) * x)
def min_told(x):
    a, least, *_ = optimize.fmin(quartic, np.ones(3), args=(x,), disp=0, xtol=1e-12, ftol=1e-16, full_output=True)
    return np.sum(a) + least
def min_of_number(a, c, d): return (a - c) ** 2 + a**4 * d
def min_brent(x):
    a, least, _, _ = optimize.brent(min_of_number, args=(x[0], x[1]), tol=1e-12, full_output=True)
    return a + least * x[2] + optimize.fminbound(min_of_number, -1, 3, args=(x[0], x[1]), xtol=1e-12)
def min_hopping(x): return np.sum(optimize.basinhopping(quartic, np.ones(3), niter=2, rng=0, minimizer_kwargs=dict(args=(x,), jac=slope_of_quartic, method="BFGS", options=dict(gtol=1e-11))).x * x)
def misfit(a, x): return a[0] * np.exp(-a[1] * TT) - x[0] * np.exp(-x[1] * TT) - x[2] * 0.1 * np.sin(7 * TT)
def ls_told(x):
    a, spread, told, _, _ = optimize.leastsq(misfit, [1.0, 1.0], args=(x,), ftol=1e-15, xtol=1e-15, gtol=1e-15, full_output=True)
    return np.sum(a) + np.sum(spread) * np.sum(told["fvec"] ** 2)
def ls_of_signs(x):
    a, norm = optimize.nnls(ROWS * x, np.arange(6.0) * x[1] + 1)
    return np.sum(a * [1.0, 2.0, 3.0]) + norm
def ls_linear(x):
    r = optimize.lsq_linear(ROWS * x, np.arange(6.0) * x[1] + 1, bounds=(0, x[2]), tol=1e-14)
    return np.sum(r.x * [1.0, 2.0, 3.0]) + r.cost
ROWS = np.random.default_rng(0).normal(size=(6, 3))
def program_ineq(x):
    r = optimize.linprog(-x, A_ub=[[1, 2, x[0]], [x[1], 1, 3], [1, 1, 1.0]], b_ub=[4 * x[2], 5.0, 6 * x[0]])
    return r.fun + np.sum(r.x * [1.0, 2.0, 3.0])
def program_eq(x):
    r = optimize.linprog(x * [1, -1, 1], A_eq=[[1, 1, x[0]]], b_eq=[x[1]], bounds=[(0, x[2]), (0, 1), (None, 5)])
    return r.fun + np.sum(r.x * [1.0, 2.0, 3.0])
def odeint_told(x):
    y, told = integrate.odeint(lambda y, t, k: -k * y, x[0], [0, 0.5, 1.0], args=(x[1],), rtol=1e-11, atol=1e-12, full_output=True)
    return np.sum(y) * x[2] + len(told["message"]) * 0

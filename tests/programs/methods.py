"""Methods and attributes of arrays."""


from tests.programs.table import program


@program(args=lambda rng: (rng.normal(size=(2, 3)),))
def max_and_min(x):
    return x.max() * x.min() + (x.max(axis=0) ** 2).sum() + x.min(axis=1).prod()

@program(args=lambda rng: (rng.normal(size=4),))
def element_as_a_number(x):
    return x[2].item() * x.sum() + x.item(1) ** 2

@program(args=lambda rng: (1.3, rng.normal(size=(2, 3))), wrt=(0,))
def element_of_a_constant_as_a_number(x, weights):
    return x**2 * weights.item(1) + x**3 * weights.item(1, 2) + x * weights[:1, :1].item()

"""Ways out of loops that stand in other loops."""


from tests.programs.table import program


@program(args=(0.6, 1.5), wrt=(0, 1), label="returns")
def return_in_nested_loops(x, limit):
    y = x
    for i in range(3):
        for j in range(i + 1):
            y = y + x * j + 0.2
            if y > limit:
                return y * limit
        y = y * 1.1
    return y - limit

def _value_of(tree, x):
    if tree[0] == "leaf":
        return tree[1] * x
    left = _value_of(tree[1], x)
    right = _value_of(tree[2], x)
    if tree[0] == "add":
        return left + right
    if tree[0] == "mul":
        return left * right
    raise ValueError(tree[0])

@program(
    args=(("mul", ("leaf", 1.5), ("add", ("leaf", -0.3), ("leaf", 2.0))), 1.2),
    wrt=(1,),
    order2=False,  # an error: zeros are asked for in the shape of the tree
)
def tree_walk_that_may_raise(tree, x):
    return _value_of(tree, x) ** 2


@program(args=(0.6, 2, 3), wrt=(0,), label="around")
def trips_that_only_their_number_tells(x, k, n):
    y = 0.5 * x
    for _ in range(k):
        if k > 8:
            return y * x
        for y in [y]:
            j = 0
            while j < n:
                j += 1
                y = y + x
    return y

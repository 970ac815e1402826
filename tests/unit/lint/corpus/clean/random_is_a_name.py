"""A parameter called random."""


def spawn(random, points):
    return random.choice(points)


def draw(np):
    return np.random.normal()

"""Speech and language: attention, transcription."""

from collections import Counter
from itertools import chain

import numpy as np
from scipy.special import log_softmax, softmax

from tests.realistic.table import program

CORPUS = """the cat sat on the mat
the dog sat on the log
a cat and a dog ran
the mat and the log""".split("\n")

class Vocabulary:
    def __init__(self, sentences, min_count=1):
        counts = Counter(chain.from_iterable(s.split() for s in sentences))
        self.words = [w for w, c in counts.most_common() if c >= min_count]
        self.index = {w: i for i, w in enumerate(self.words)}
        self.counts = np.array([counts[w] for w in self.words])

    def __len__(self):
        return len(self.words)

    def __contains__(self, w):
        return w in self.index

    def encode(self, sentence):
        return [self.index[w] for w in sentence.split() if w in self]

# --- attention with heads, positional encodings, layer norm; parameters in nested dicts ---------

def positional(n, d):
    pos = np.arange(n)[:, None]
    div = np.exp(np.arange(0, d, 2) * -(np.log(10000.0) / d))
    pe = np.zeros((n, d))
    pe[:, 0::2] = np.sin(pos * div)
    pe[:, 1::2] = np.cos(pos * div)
    return pe

def layer_norm(x, p, eps=1e-5):
    mu = x.mean(axis=-1, keepdims=True)
    var = x.var(axis=-1, keepdims=True)
    return p["g"] * (x - mu) / np.sqrt(var + eps) + p["b"]

def gelu(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))

def attention(x, p, heads, mask):
    n, d = x.shape
    qkv = x @ p["qkv"]
    q, k, v = np.split(qkv, 3, axis=-1)
    outs = []
    for qh, kh, vh in zip(*(np.split(m, heads, axis=-1) for m in (q, k, v))):
        scores = qh @ kh.T / np.sqrt(d / heads) + mask
        outs.append(softmax(scores, axis=-1) @ vh)
    return np.hstack(outs) @ p["out"]

def block(x, p, heads, mask):
    x = x + attention(layer_norm(x, p["ln1"]), p["attn"], heads, mask)
    h = gelu(layer_norm(x, p["ln2"]) @ p["mlp"]["w"])
    return x + h @ p["mlp"]["v"]

def _gpt(rng):
    d = 4

    def norm():
        return {"g": np.ones(d), "b": np.zeros(d)}

    return {
        "wte": rng.normal(0, 0.5, (len(Vocabulary(CORPUS)), d)),
        "blocks": [
            {
                "ln1": norm(),
                "ln2": norm(),
                "attn": {"qkv": rng.normal(0, 0.5, (d, 3 * d)), "out": rng.normal(0, 0.5, (d, d))},
                "mlp": {"w": rng.normal(0, 0.5, (d, 2 * d)), "v": rng.normal(0, 0.5, (2 * d, d))},
            }
            for _ in range(2)
        ],
        "ln_f": norm(),
    }

@program(lambda rng: (_gpt(rng), CORPUS[0]))
def next_word_loss(params, sentence, heads=2):
    vocab = Vocabulary(CORPUS)
    ids = vocab.encode(sentence)
    n = len(ids)
    x = params["wte"][ids] + positional(n, params["wte"].shape[1])
    mask = np.triu(np.full((n, n), -1e9), k=1)
    for p in params["blocks"]:
        x = block(x, p, heads, mask)
    logits = layer_norm(x, params["ln_f"]) @ params["wte"].T
    logp = log_softmax(logits[:-1], axis=-1)
    return -np.mean(logp[np.arange(n - 1), ids[1:]])

# --- speech without alignment: all ways to say a word, summed up ----------------------------------

class Alphabet:
    BLANK = 0

    def __init__(self, letters):
        self.index = {letter: k for k, letter in enumerate(letters, start=1)}

    def __len__(self):
        return len(self.index) + 1

    def encode(self, word):
        unknown = [letter for letter in word if letter not in self.index]
        if unknown:
            raise KeyError(f"no such letters: {unknown}")
        return [self.index[letter] for letter in word]

    def with_blanks(self, word):
        spread = [self.BLANK]
        for k in self.encode(word):
            spread += [k, self.BLANK]
        return spread

def forward_scores(log_probs, states):
    scores = np.full(len(states), -np.inf)
    scores[0], scores[1] = log_probs[0, states[0]], log_probs[0, states[1]]
    for row in log_probs[1:]:
        new = np.full(len(states), -np.inf)
        for s, label in enumerate(states):
            ways = [scores[s]]
            if s > 0:
                ways.append(scores[s - 1])
            if s > 1 and label != Alphabet.BLANK and label != states[s - 2]:
                ways.append(scores[s - 2])
            best = max(ways)
            if best == -np.inf:
                continue
            new[s] = best + np.log(sum(np.exp(w - best) for w in ways)) + row[label]
        scores = new
    return scores

@program(lambda rng: (rng.normal(size=(6, 4)), ["aba", "cc"]))
def transcription_loss(logits, words):
    alphabet = Alphabet("abc")
    assert logits.shape[1] == len(alphabet)
    log_probs = log_softmax(logits, axis=1)
    losses = {}
    for word in words:
        scores = forward_scores(log_probs, alphabet.with_blanks(word))
        losses[word] = -np.logaddexp(scores[-1], scores[-2]) / len(word)
    return sum(losses.values()) / len(losses)

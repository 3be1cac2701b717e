"""Writes reference.json: what scipy, statsmodels and scikit-learn say of the cases in it.

    python3 -m venv /tmp/reference && /tmp/reference/bin/pip install -r test/statistics/requirements.txt
    /tmp/reference/bin/python test/statistics/make.py
"""

import json
import platform
import random
from pathlib import Path

import numpy
import scipy
import sklearn
import statsmodels
import statsmodels.api as sm
from scipy.stats import beta, bootstrap, norm
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss, f1_score, log_loss
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.proportion import proportion_confint

draw = random.Random(1)


def quantiles():
    levels = ["0.51", "0.6", "0.75", "0.9", "0.95", "0.975", "0.99", "0.999", "0.999999"]
    return [{"level": level, "z": float(norm.ppf(float(level)))} for level in levels]


def intervals():
    rows = []
    for trials in [1, 2, 7, 40, 500, 5000]:
        for hits in sorted({0, 1, trials // 2, trials * 37 // 40, trials - 1, trials}):
            for level in [0.8, 0.95, 0.99]:
                low, high = proportion_confint(hits, trials, 1 - level, method="wilson")
                exact = proportion_confint(hits, trials, 1 - level, method="beta")
                rows.append({
                    "hits": hits, "trials": trials, "level": level,
                    "wilson": [float(low), float(high)],
                    "clopperPearson": [float(end) for end in exact],
                })
    return rows


def effective_intervals():
    """Korn and Graubard: the exact interval with an effective number of trials."""
    rows = []
    for share, trials, level in [(0.9, 77.3, 0.95), (0.5, 3.4, 0.9), (0.99, 812.5, 0.99)]:
        hits, tail = share * trials, (1 - level) / 2
        rows.append({
            "share": share, "trials": trials, "level": level,
            "interval": [
                float(beta.ppf(tail, hits, trials - hits + 1)),
                float(beta.ppf(1 - tail, hits + 1, trials - hits)),
            ],
        })
    return rows


def design_effects():
    """The cluster-robust variance of a mean over the variance of independent answers."""
    rows = []
    for cases, most in [(2, 2), (5, 3), (20, 4), (60, 6), (200, 1)]:
        shared = [draw.random() for _ in range(cases)]
        answers = [[int(draw.random() < 0.4 + 0.6 * own) for _ in range(draw.randint(1, most))]
                   for own in shared]
        flat = [answer for one in answers for answer in one]
        if len(set(flat)) < 2:
            answers[0] = [1 - answers[0][0], *answers[0][1:]]
            flat = [answer for one in answers for answer in one]
        groups = [index for index, one in enumerate(answers) for _ in one]
        fit = sm.OLS(flat, numpy.ones(len(flat))).fit(
            cov_type="cluster", cov_kwds={"groups": groups, "use_correction": True})
        mean = sum(flat) / len(flat)
        rows.append({
            "clusters": [{"asked": len(one), "correct": sum(one)} for one in answers],
            "designEffect": float(fit.cov_params()[0, 0] / (mean * (1 - mean) / len(flat))),
        })
    return rows


def pairs():
    rows = []
    for worse, better in [(0, 0), (6, 1), (5, 0), (1, 5), (4, 4), (40, 60), (520, 480), (300, 200)]:
        table = [[9, better], [worse, 9]]
        rows.append({"worse": worse, "better": better, "p": float(mcnemar(table, exact=True).pvalue)})
    return rows


def calibrations():
    rows = []
    for count in [1, 9, 40, 400]:
        confidences = [draw.random() for _ in range(count)]
        correct = [int(draw.random() < one ** 0.7) for one in confidences]
        confidences[0], correct[0] = (confidences[0], 1) if count == 1 else (0.0, 0)
        row = {
            "confidences": confidences, "correct": correct,
            "brier": float(brier_score_loss(correct, confidences, labels=[0, 1])),
            "logLoss": float(log_loss(correct, confidences, labels=[0, 1])),
        }
        for strategy, edges in [
            ("uniform", numpy.linspace(0, 1, 11)),
            ("quantile", numpy.percentile(confidences, numpy.linspace(0, 1, 11) * 100)),
        ]:
            shares, means = calibration_curve(correct, confidences, n_bins=10, strategy=strategy)
            ids = numpy.searchsorted(edges[1:-1], confidences)
            counts = [int(one) for one in numpy.bincount(ids, minlength=10)]
            weights = [one for one in counts if one > 0]
            row[strategy] = {
                "counts": counts,
                "error": float(sum(w * abs(s - m) for w, s, m in zip(weights, shares, means)) / count),
            }
        rows.append(row)
    return rows


def classes():
    rows = []
    for labels, count in [("ab", 10), ("abc", 60), ("abcdefgh", 40)]:
        expected = [draw.choice(labels[:-1]) for _ in range(count)]
        predicted = [one if draw.random() < 0.7 else draw.choice(labels) for one in expected]
        rows.append({
            "expected": expected, "predicted": predicted,
            "macroF1": float(f1_score(expected, predicted, average="macro", zero_division=0)),
        })
    return rows


def resampled():
    """The percentile interval of the share of right answers when whole cases are drawn."""
    cases = [[int(draw.random() < 0.5 + 0.5 * own) for _ in range(4)]
             for own in [draw.random() for _ in range(120)]]
    asked, correct = [len(one) for one in cases], [sum(one) for one in cases]
    found = bootstrap(
        (numpy.array(correct), numpy.array(asked)),
        lambda right, all_, axis=-1: right.sum(axis=axis) / all_.sum(axis=axis),
        paired=True, vectorized=True, n_resamples=50_000, confidence_level=0.9,
        method="percentile", rng=numpy.random.default_rng(1))
    interval = found.confidence_interval
    return {"correct": correct, "asked": asked, "level": 0.9,
            "interval": [float(interval.low), float(interval.high)]}


reference = {
    "versions": {
        "python": platform.python_version(), "numpy": numpy.__version__, "scipy": scipy.__version__,
        "statsmodels": statsmodels.__version__, "scikit-learn": sklearn.__version__,
    },
    "quantiles": quantiles(),
    "intervals": intervals(),
    "effectiveIntervals": effective_intervals(),
    "designEffects": design_effects(),
    "pairs": pairs(),
    "calibrations": calibrations(),
    "classes": classes(),
    "resampled": resampled(),
}
path = Path(__file__).with_name("reference.json")
path.write_text(json.dumps(reference, indent=1) + "\n")

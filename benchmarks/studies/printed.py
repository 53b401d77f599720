"""The figures of the first version's Tables 1 to 3, as printed: mean and deviation.

None stands where the paper prints an infinity sign for a method that was not run. Tables 1 and 2
are test errors, Table 3 test accuracies. Table 2 does not say which share of the rows was bad;
its figures are put at 0.2. Table 1's caption names a polynomial data set without figures, and
multi-class figures are not given.
"""

from __future__ import annotations

from itertools import product
from typing import NamedTuple


class Figure(NamedTuple):
    """Mean over runs, and standard deviation."""

    mean: float
    deviation: float


_COLUMNS = {
    "table1": list(product(["concrete", "wine", "boston", "drug"], ["label"], [0.2, 0.4])),
    "table2": list(
        product(["boston", "wine", "concrete", "drug"], ["label", "label+feature"], [0.2])
    ),
    "table3": list(product(["heart", "breast"], ["flip", "flip+feature"], [0.2, 0.4])),
}
_NOT_RUN = " ".join(8 * ["-"])
_ROWS = {
    "table1": {
        "krr": "1.355/0.0934 2.282/0.2063 1.437/0.0979 2.272/0.1088"
        " 1.285/0.0896 2.266/0.0686 1.478/0.0533 2.381/0.0203",
        "term": "0.829/0.0422 0.928/0.0197 1.854/0.7437 1.069/0.1001 0.879/0.0178 0.875/0.0711 - -",
        "sever": "0.533/0.0347 0.592/0.0548 0.915/0.0343 0.841/0.0413"
        " 0.526/0.0287 0.720/0.1147 1.172/0.0542 1.215/0.0536",
        "subquantile": "0.519/0.0134 0.547/0.0174 0.808/0.0389 0.827/0.0216"
        " 0.468/0.0896 0.458/0.0662 1.280/0.0568 1.372/0.0294",
        "genie": _NOT_RUN,
    },
    "table2": {
        "krr": "0.907/0.2724 90.799/5.7170 0.894/0.0404 62.913/7.4959"
        " 0.747/0.0465 77.383/5.5692 2.679/0.1286 141.690/3.5297",
        "ransac": "1.167/0.6710 22.460/19.1987 1.489/0.2730 39.630/13.0294"
        " 0.870/0.2308 23.629/16.1023 2.801/0.2004 117.389/8.3915",
        "crr": "0.636/0.0905 88.626/5.7380 0.818/0.0224 58.488/3.5612"
        " 0.710/0.0919 73.932/4.7867 1.887/0.1463 152.827/6.6038",
        "stir": "0.562/0.0626 78.878/8.0164 0.828/0.0293 58.352/4.6700"
        " 0.684/0.0245 76.555/4.5927 1.721/0.1520 144.975/5.4953",
        "sever": "0.601/0.0979 5.980/8.2603 0.814/0.0207 9.065/13.7632"
        " 0.684/0.0438 4.119/8.2436 1.469/0.1162 156.043/4.5543",
        "term": "0.608/0.1357 0.569/0.0620 0.840/0.0563 0.827/0.0255"
        " 0.830/0.0934 0.808/0.0726 1.185/0.1077 1.147/0.1258",
        "subquantile": "0.503/0.0470 0.560/0.0373 0.813/0.0357 0.821/0.0305"
        " 0.757/0.1174 0.630/0.0269 1.244/0.1091 2.413/0.6737",
        "genie": "0.630/0.1015 0.665/0.1134 0.838/0.0130 0.865/0.0222"
        " 0.763/0.0390 0.768/0.0181 0.988/0.0823 0.985/0.0838",
    },
    "table3": {
        "svm": "0.826/0.0482 0.625/0.0475 0.549/0.0763 0.513/0.0344"
        " 0.940/0.0140 0.781/0.0496 0.651/0.0370 0.633/0.0428",
        "sever": "0.728/0.1134 0.531/0.0321 0.807/0.0557 0.677/0.1552"
        " 0.918/0.0439 0.575/0.1456 0.954/0.0146 0.809/0.0947",
        "term": "0.790/0.0420 0.610/0.0667 0.816/0.0485 0.607/0.1318"
        " 0.937/0.0151 0.793/0.0691 0.972/0.0151 0.973/0.0190",
        "subquantile": "0.846/0.0382 0.597/0.0794 0.830/0.0471 0.516/0.0623"
        " 0.956/0.0055 0.785/0.1059 0.955/0.0159 0.823/0.1445",
        "genie": _NOT_RUN,
    },
}


def printed_in(table: str) -> dict[tuple[str, str, float, str], Figure | None]:
    """Return the figures of a table by data set, kind, share and method, by our names of these."""
    return {
        (*column, method): _read(text)
        for method, texts in _ROWS.get(table, {}).items()
        for column, text in zip(_COLUMNS[table], texts.split(), strict=True)
    }


def _read(text: str) -> Figure | None:
    return None if text == "-" else Figure(*map(float, text.split("/")))

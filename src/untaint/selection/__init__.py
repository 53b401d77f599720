"""Selection: a vector of losses becomes a vector of weights."""

from .balanced import Balanced
from .base import Rule, Selection
from .cut import Cut, Heard, Weigh
from .given import Given
from .label_channel import estimate_channel_share
from .profile import Lens, Profile
from .share import estimate_label_share, estimate_share
from .smallest import Smallest
from .soft_balanced import SoftBalanced
from .softplus import Softplus
from .tilted import Tilted
from .truncated import Truncated
from .two_groups import TwoGroups, two_groups

__all__ = [
    "Balanced",
    "Cut",
    "Given",
    "Heard",
    "Lens",
    "Profile",
    "Rule",
    "Selection",
    "Smallest",
    "SoftBalanced",
    "Softplus",
    "Tilted",
    "Truncated",
    "TwoGroups",
    "Weigh",
    "estimate_channel_share",
    "estimate_label_share",
    "estimate_share",
    "two_groups",
]

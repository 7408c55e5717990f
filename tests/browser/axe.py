"""How axe is asked, and about what."""

from typing import Literal


TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]

# The viewer of the API's description (.swagger-ui) is as its makers ship it, and not ours to mend;
# the same description is to be had as a file.
RUN = """async only => {
  const options = {runOnly: only, resultTypes: ["violations"]};
  const found = await axe.run({exclude: [".swagger-ui"]}, options);
  return found.violations.map(v => `${v.id}: ${v.nodes.slice(0, 3).map(n => n.target + " " +
    (n.any[0] ? n.any[0].message : "")).join(" | ")}`);
}"""

RUN_IN_BAR = RUN.replace("exclude:", 'include: ["header.bar"], exclude:')
"""The same of the bar alone: what lies under an open menu is covered, and meant to be."""

WIDER = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"

SHADES: tuple[Literal["light"], Literal["dark"]] = ("light", "dark")

"""What the templates of a scene ask for: the table, what is said of the step, and what explains it."""

from typing import Any

from arena.pages.games.picture import Line, Picture
from arena.pages.matches.replay import Scene


def set_stage(scene: Scene, picture: Picture) -> dict[str, Any]:
    """For `matches/_stage.html` and `matches/_why.html`; they ask for `seats` too, and where they are drawn once for
    each step for `slots`."""
    return {
        "scene": scene,
        "picture": picture,
        "board_template": f"games/{picture.folder}/board.html",
        "proof_template": f"games/{picture.folder}/proof.html",
        "board": picture.draw(scene),
        "lines": tell_caption(scene, picture),
        "proofs": [picture.prove(scene, proof) for proof in scene.proofs],
        "ending": picture.tell_ending(scene) if scene.result else "",
    }


def tell_caption(scene: Scene, picture: Picture) -> list[Line]:
    """What the caption tells of the step; a forfeit that ends the leg is told by the ending already."""
    if not scene.is_over:
        return picture.tell(scene.step)
    return picture.say([event for event in scene.step.events if event.get("action") != "forfeit"])

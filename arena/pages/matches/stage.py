"""Build the context of a scene's templates: the table, the caption of the step, and its proofs."""

from typing import Any

from arena.pages.games.presentation import Line, Presentation
from arena.pages.matches.judgements import describe_judgement
from arena.pages.matches.replay import Scene


def build_stage(scene: Scene, presentation: Presentation) -> dict[str, Any]:
    """Return the context of `matches/_stage.html` and `matches/_why.html`.

    They show `seats` too, and where they are drawn once for each step, `slots`.
    """
    return {
        "scene": scene,
        "presentation": presentation,
        "board_template": f"games/{presentation.folder}/board.html",
        "proof_template": f"games/{presentation.folder}/proof.html",
        "board": presentation.build_board(scene),
        "lines": describe_caption(scene, presentation),
        "proofs": [presentation.build_proof(scene, proof) for proof in scene.proofs],
        "judged": None if scene.judgement is None else describe_judgement(scene.judgement, presentation),
        "ending": presentation.describe_ending(scene) if scene.result else "",
    }


def describe_caption(scene: Scene, presentation: Presentation) -> list[Line]:
    """Return what the caption says of the step; a forfeit that ends the leg is told by the ending already."""
    if not scene.is_over:
        return presentation.describe_step(scene.step)
    return presentation.describe_events([event for event in scene.step.events if event.get("action") != "forfeit"])

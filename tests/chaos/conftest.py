from tests.story.conftest import sandbox as sandbox

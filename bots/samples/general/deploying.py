DEPLOY = "deploy 0=A,2=9,4=8,6=7/0=Q,2=6,4=5,6=J/0=K,2=4,4=3,6=2 guard=10"


def deploy(message):
    return DEPLOY

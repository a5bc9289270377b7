"""The settings from the environment that limit what one owner, or one person, may ask of the arena."""

from arena.environment import COUNT, Number, Setting, Switch

LIMIT_SETTINGS = (
    Setting("PENNANT_BOTS_PER_OWNER", COUNT, "Maximum number of bots of one owner.", default="20", begins_group=True),
    Setting(
        "PENNANT_VERSIONS_PER_DAY",
        COUNT,
        "Maximum number of versions that one owner uploads in 24 hours, over all bots (0: uploads are closed).",
        default="50",
    ),
    Setting(
        "PENNANT_MEGABYTES_PER_OWNER",
        COUNT,
        "Maximum size of all versions of one owner: sources and builds, compressed.",
        default="200",
    ),
    Setting(
        "PENNANT_COMPARISONS_PER_DAY",
        COUNT,
        "Maximum number of comparisons that one author starts in 24 hours; each has up to 10,000 legs at the lowest "
        "priority.",
        default="5",
    ),
    Setting(
        "PENNANT_COMPARISON_WAITING",
        COUNT,
        "Maximum number of pairs of matches of each comparison that wait or run at a time.",
        default="4",
    ),
    Setting(
        "PENNANT_CHALLENGES_PER_DAY",
        COUNT,
        "Maximum number of challenges (unrated matches against other bots) of one author in 24 hours.",
        default="20",
    ),
    Setting(
        "PENNANT_LIVE_WORKER",
        Switch(),
        "Whether `up` starts a worker for live games alone. Without it, which saves some 90 MB of memory, a bot may "
        "have to wait for the end of a match before it answers a person.",
        default="on",
    ),
    Setting(
        "PENNANT_GUESTS_PLAY",
        Switch(),
        "Whether people without an account may play live games against bots.",
        default="on",
    ),
    Setting(
        "PENNANT_LIVE_GAMES_PER_PERSON",
        COUNT,
        "Maximum number of live games of one person that are not over.",
        default="10",
    ),
    Setting(
        "PENNANT_LIVE_GAMES_PER_ADDRESS",
        COUNT,
        "Maximum number of live games from one network address that are not over; a class shares one.",
        default="100",
    ),
    Setting(
        "PENNANT_LIVE_CPU_S_PER_ADDRESS",
        COUNT,
        "Processor seconds that bots may use in 24 hours in live games started from one network address.",
        default="7200",
    ),
    Setting(
        "PENNANT_ANALYSIS_SHARE",
        Number(0, 100),
        "Percent of the time of all worker processes that analyses of matches may take while matches wait; a leg takes "
        "some seconds (0: no analyses are made).",
        default="25",
    ),
    Setting(
        "PENNANT_ANALYSES_PER_DAY",
        COUNT,
        "Maximum number of legs whose analysis one user requests in 24 hours.",
        default="20",
    ),
    Setting(
        "PENNANT_ANALYSED_TOP_MATCHES",
        COUNT,
        "Number of matches of each ladder that are analysed in 24 hours without a request: those of the best bots.",
        default="2",
    ),
    Setting(
        "PENNANT_MARSHAL_ON_LADDERS",
        Switch(),
        "Whether the strongest sample bot enters new ladders. A match of it takes some ten seconds of a processor.",
        default="on",
    ),
    Setting(
        "PENNANT_SHOWN_TOURNAMENTS",
        Switch(),
        "Whether a new site started by `up` plays two demo tournaments with its sample bots.",
        default="on",
    ),
)

//! The rules as data. A change of the architecture changes this file, and nothing else here.

/// The crates of the workspace that a crate may depend on.
#[derive(Clone, Copy)]
pub(super) struct CrateRule {
    pub(super) name: &'static str,
    pub(super) may: &'static [&'static str],
    /// True if the crate may switch on features of `mgp-transport`. A section crate needs the seam only.
    pub(super) transports: bool,
}

/// The crates that a section may depend on: the types, the seam, and the files of stores.
const SECTION: &[&str] = &["mgp-types", "mgp-transport", "mgp-store"];
/// The crates that a tool server is made of.
const FOR_SERVERS: &[&str] = &[
    "mgp-types",
    "mgp-transport",
    "mgp-security",
    "mgp-lifecycle",
    "mgp-stream",
    "mgp-openapi",
    "mgp-server-sdk-macros",
];
/// The crates that a client of one server may use, the last in tests only: `WEIGHTS` keeps it out of what clients pay for.
const FOR_CLIENTS: &[&str] =
    &["mgp-types", "mgp-transport", "mgp-store", "mgp-lifecycle", "mgp-stream", "mgp-server-sdk"];
/// The crates that a kernel may use: every other library that ships.
const FOR_KERNELS: &[&str] = LIBRARIES.split_last().expect("a library ships").1;
/// The crates of a server that a suite is run against: those that tool servers use, and nothing else.
const FOR_FIXTURES: &[&str] = &["mgp-types", "mgp-transport", "mgp-server-sdk"];
/// The crate that programs share which install others' packages.
const INSTALL: &str = "xtask-install";
/// The crate with PostgreSQL and the balancer, which programs and tests share.
const TESTING: &str = "xtask-testing";
/// The crates of the peers' side, which talks to servers, and to the kernel's process.
const FOR_PEERS: &[&str] = &["mgp-types", "mgp-transport", "mgp-client-sdk", INSTALL, TESTING];
/// The crates of benches: all that ship, compared with others' programs.
const FOR_BENCHES: &[&str] = &[
    "mgp-types",
    "mgp-transport",
    "mgp-store",
    "mgp-security",
    "mgp-lifecycle",
    "mgp-stream",
    "mgp-discovery",
    "mgp-toolindex",
    "mgp-server-sdk",
    "mgp-client-sdk",
    "mgp-kernel",
    INSTALL,
    TESTING,
];
/// The crates with parsers of foreign input.
const FOR_FUZZING: &[&str] =
    &["mgp-types", "mgp-transport", "mgp-security", "mgp-discovery", "mgp-server-sdk"];
/// The crates that measure tool retrieval, which needs only the index.
const FOR_RETRIEVAL: &[&str] = &["mgp-types", "mgp-transport", "mgp-toolindex", INSTALL];
/// The libraries that ship, in the order of their dependencies, `mgp-kernel` last.
const LIBRARIES: &[&str] = &[
    "mgp-types",
    "mgp-transport",
    "mgp-store",
    "mgp-security",
    "mgp-lifecycle",
    "mgp-stream",
    "mgp-discovery",
    "mgp-toolindex",
    "mgp-server-sdk",
    "mgp-client-sdk",
    "mgp-kernel",
];

/// The crates of the soak: the libraries of hosts, servers and the kernel.
const FOR_SOAK: &[&str] = &[
    "mgp-types",
    "mgp-transport",
    "mgp-security",
    "mgp-discovery",
    "mgp-server-sdk",
    "mgp-client-sdk",
    "mgp-kernel",
    TESTING,
];

/// The crates that the program is made of: every library that ships, the checks and the console.
const FOR_PROGRAM: &[&str] = &[
    "mgp-types",
    "mgp-transport",
    "mgp-store",
    "mgp-security",
    "mgp-lifecycle",
    "mgp-stream",
    "mgp-discovery",
    "mgp-toolindex",
    "mgp-server-sdk",
    "mgp-client-sdk",
    "mgp-kernel",
    "mgp-check",
    "mgp-console",
];

/// The rules of all members of the workspace.
pub(super) const CRATES: &[CrateRule] = &[
    CrateRule { name: "mgp-types", may: &[], transports: false },
    CrateRule { name: "mgp-transport", may: &["mgp-types"], transports: false },
    CrateRule { name: "mgp-store", may: &[], transports: false },
    CrateRule { name: "mgp-security", may: SECTION, transports: false },
    CrateRule { name: "mgp-lifecycle", may: SECTION, transports: false },
    CrateRule { name: "mgp-stream", may: SECTION, transports: false },
    CrateRule { name: "mgp-discovery", may: SECTION, transports: false },
    CrateRule { name: "mgp-toolindex", may: SECTION, transports: false },
    CrateRule { name: "mgp-server-sdk-macros", may: &[], transports: false },
    CrateRule { name: "mgp-server-sdk", may: FOR_SERVERS, transports: true },
    CrateRule { name: "mgp-client-sdk", may: FOR_CLIENTS, transports: true },
    CrateRule { name: "mgp-kernel", may: FOR_KERNELS, transports: true },
    CrateRule { name: "mgp-check", may: &["mgp-types", "mgp-transport"], transports: true },
    CrateRule { name: "mgp-console", may: &["mgp-types"], transports: false },
    CrateRule { name: "mgp-openapi", may: &["mgp-types"], transports: false },
    CrateRule { name: "mgp", may: FOR_PROGRAM, transports: true },
    CrateRule { name: "xtask", may: &["mgp-types"], transports: false },
    CrateRule { name: "xtask-bench", may: FOR_BENCHES, transports: true },
    CrateRule { name: "xtask-chart", may: &["mgp-discovery", INSTALL], transports: false },
    CrateRule { name: "xtask-configuration", may: &["mgp-discovery"], transports: false },
    CrateRule {
        name: "xtask-confine",
        may: &["mgp-types", "mgp-transport", "mgp-security"],
        transports: true,
    },
    CrateRule { name: "xtask-console", may: &[INSTALL], transports: false },
    CrateRule { name: "xtask-conformance", may: &[INSTALL, TESTING], transports: false },
    CrateRule { name: "xtask-dist", may: &[INSTALL], transports: false },
    CrateRule { name: "xtask-fuzz", may: FOR_FUZZING, transports: true },
    CrateRule { name: "xtask-install", may: &[], transports: false },
    CrateRule { name: "xtask-peers", may: FOR_PEERS, transports: true },
    CrateRule { name: "xtask-retrieval", may: FOR_RETRIEVAL, transports: false },
    CrateRule { name: "xtask-soak", may: FOR_SOAK, transports: true },
    CrateRule { name: "xtask-testing", may: &["mgp-types", "mgp-transport", "mgp-store"], transports: false },
    CrateRule { name: "mgp-conformance-client", may: LIBRARIES, transports: true },
    CrateRule { name: "mgp-conformance-fixture", may: FOR_FIXTURES, transports: true },
];

/// The crates that the whole tree of a crate's normal dependencies must not hold.
pub(super) struct Without {
    pub(super) name: &'static str,
    pub(super) never: &'static [&'static str],
    pub(super) why: &'static str,
}

pub(super) const TREES: &[Without] = &[Without {
    name: "mgp-types",
    never: &[
        "tokio",
        "tokio-util",
        "tower",
        "tower-service",
        "mio",
        "axum",
        "hyper",
        "reqwest",
        "rusqlite",
        "jiff",
    ],
    why: "pure data: no runtime, no service, no I/O, no clock",
}];

/// The cost of a crate to those who depend on it with only these features.
pub(super) struct Weight {
    pub(super) name: &'static str,
    pub(super) features: &'static [&'static str],
    /// The most crates in its tree of normal dependencies, itself included.
    pub(super) most: usize,
    pub(super) never: &'static [&'static str],
}

/// The crates of a kernel, which a client of one server does not pay for.
const OF_KERNELS: &[&str] = &[
    "tantivy",
    "rusqlite",
    "tiktoken-rs",
    "rayon",
    "simsimd",
    "jsonschema",
    "mgp-server-sdk",
    "mgp-security",
];

/// The crates that a tool server without features for them does not pay for.
const NOT_OF_SERVERS: &[&str] =
    &["axum", "rusqlite", "reqwest", "jsonschema", "sha2", "rand", "mgp-security", "tree-sitter"];

pub(super) const WEIGHTS: &[Weight] = &[
    Weight { name: "mgp-client-sdk", features: &[], most: 65, never: OF_KERNELS },
    Weight { name: "mgp-client-sdk", features: &["child"], most: 75, never: OF_KERNELS },
    Weight { name: "mgp-client-sdk", features: &["http"], most: 140, never: OF_KERNELS },
    Weight { name: "mgp-server-sdk", features: &["stdio"], most: 60, never: NOT_OF_SERVERS },
    // The default features. With a new crate around it, that is a hundred.
    Weight {
        name: "mgp-server-sdk",
        features: &["check-arguments", "stdio"],
        most: 100,
        never: &["axum", "rusqlite", "reqwest", "mgp-security", "tree-sitter"],
    },
];

/// An outside crate that only some of ours may use.
pub(super) struct Owned {
    pub(super) dependency: &'static str,
    pub(super) owners: &'static [&'static str],
    /// True if the dependency is behind a feature in each of them.
    pub(super) optional: bool,
}

pub(super) const OWNED: &[Owned] = &[
    Owned { dependency: "axum", owners: &["mgp-transport", "mgp-console"], optional: true },
    Owned { dependency: "rcgen", owners: &["mgp-transport"], optional: true },
    Owned { dependency: "reqwest", owners: &["mgp-store", "mgp-transport"], optional: true },
    Owned { dependency: "ring", owners: &["mgp-store", "mgp-security", "mgp-client-sdk"], optional: true },
    Owned { dependency: "rustls", owners: &["mgp-store", "mgp-transport"], optional: true },
    Owned { dependency: "rustls-platform-verifier", owners: &["mgp-store", "mgp-transport"], optional: true },
    Owned { dependency: "tokio-rustls", owners: &["mgp-transport"], optional: true },
    Owned { dependency: "hmac-sha256", owners: &["mgp-types", "mgp-server-sdk"], optional: false },
    Owned { dependency: "process-wrap", owners: &["mgp-transport"], optional: true },
    Owned {
        dependency: "rusqlite",
        owners: &["mgp-store", "mgp-security", "mgp-toolindex", "mgp"],
        optional: true,
    },
    Owned {
        dependency: "rusqlite_migration",
        owners: &["mgp-store", "mgp-security", "mgp-toolindex"],
        optional: true,
    },
    Owned { dependency: "fastembed", owners: &["mgp-toolindex"], optional: true },
    Owned { dependency: "ort", owners: &["mgp-toolindex"], optional: true },
    Owned { dependency: "simsimd", owners: &["mgp-toolindex"], optional: false },
    Owned { dependency: "tantivy", owners: &["mgp-toolindex"], optional: false },
    Owned { dependency: "tiktoken-rs", owners: &["mgp-toolindex"], optional: false },
    Owned { dependency: "landlock", owners: &["mgp-security"], optional: true },
    Owned { dependency: "cedar-policy", owners: &["mgp-security"], optional: true },
    Owned { dependency: "seccompiler", owners: &["mgp-security"], optional: true },
    Owned { dependency: "libc", owners: &["mgp-security", "xtask-confine"], optional: false },
    Owned { dependency: "clap", owners: &["mgp"], optional: false },
    Owned { dependency: "prometheus-client", owners: &["mgp-kernel"], optional: true },
    Owned { dependency: "opentelemetry", owners: &["mgp"], optional: true },
    Owned { dependency: "opentelemetry_sdk", owners: &["mgp"], optional: true },
    Owned { dependency: "opentelemetry-otlp", owners: &["mgp"], optional: true },
];

/// A place that may hold a word: a file or a folder, and the reason.
pub(super) type Place = (&'static str, &'static str);

/// A word of the sources that only some places may hold. Tests and comments may hold it everywhere.
pub(super) struct WordRule {
    pub(super) words: &'static [&'static str],
    /// The files and folders that are searched; empty for everything but xtask. A folder without sources is itself a finding.
    pub(super) within: &'static [&'static str],
    /// The places that may hold a word. A place that does not need its permission is itself a finding.
    pub(super) places: &'static [Place],
    pub(super) why: &'static str,
}

/// The folders and files of gates, which judge a call by its fields and read no typemap.
const GATES: &[&str] = &[
    "mgp-transport/src/seam/gate",
    "mgp-security/src/access",
    "mgp-security/src/input_size",
    "mgp-security/src/limits",
    "mgp-security/src/permission",
    "mgp-security/src/scope",
    "mgp-security/src/unique_keys",
    "mgp-security/src/validator",
    "mgp-kernel/src/path/resolve/existence.rs",
];

pub(super) const WORDS: &[WordRule] = &[
    WordRule {
        words: &["bytes::", "BytesMut"],
        within: &[],
        places: &[
            ("mgp-transport/src", "turns bytes into messages and back"),
            ("mgp-types/src/json", "raw JSON shares the buffer that it was read from"),
            ("mgp-types/src/mcp/conform/scan.rs", "reads raw JSON through where it lies"),
            ("mgp-types/src/rpc/frame.rs", "the frame is cut from that buffer"),
            ("mgp-store/src/sql/postgres/value.rs", "writes values in PostgreSQL's form"),
            ("mgp-store/src/objects/upload.rs", "hands the parts of an object to its store"),
        ],
        why: "only the transport knows bytes; the types share its buffers",
    },
    WordRule {
        words: &["tokio::io"],
        within: &[],
        places: &[
            ("mgp-transport/src", "reads and writes"),
            ("mgp-client-sdk/src/client/connect.rs", "hands a caller's streams to the transport"),
            ("mgp-kernel/src/host/face.rs", "hands a host's streams to the transport"),
            ("mgp/src", "the program's own streams; the demo records what goes over them"),
        ],
        why: "only the transport reads and writes",
    },
    WordRule {
        words: &["tokio::net", "TcpStream", "TcpListener"],
        within: &[],
        places: &[("mgp-transport/src", "listens and connects")],
        why: "only the transport listens and connects",
    },
    WordRule {
        words: &["tokio::process"],
        within: &[],
        places: &[
            ("mgp-transport/src/child", "runs servers"),
            ("mgp/src/notify/program.rs", "runs programs that notify an operator, which are not servers"),
            ("mgp/src/secrets/program.rs", "runs programs that print secrets, which are not servers"),
        ],
        why: "only the transport starts servers",
    },
    WordRule {
        words: &["rusqlite"],
        within: &[],
        places: &[
            ("mgp-store/src/sqlite", "opens the files of all of them"),
            ("mgp-store/src/sql", "runs the statements of all of them"),
            ("mgp-security/src/audit/log", "the audit trail, behind the feature sqlite"),
            ("mgp-security/src/access/tests_of_sqlite.rs", "edits rules by hand"),
            ("mgp-toolindex/src/embed/cache", "its cache, behind the feature sqlite"),
            ("mgp/src/embedded/notes", "the notes server of the demo"),
        ],
        why: "a section's tables are written once for SQLite and PostgreSQL",
    },
    WordRule {
        words: &["std::fs", "std::net", "std::process", "std::thread", "std::env", "SystemTime", "Instant"],
        within: &["mgp-types/src"],
        places: &[],
        why: "mgp-types is pure data: no I/O, no clock",
    },
    WordRule {
        words: &["CallTool", "\"tools/call\""],
        within: &["mgp-client-sdk/src", "mgp-kernel/src", "mgp/src"],
        places: &[
            (
                "mgp-kernel/src/features/transactions/compensate.rs",
                "enters the pipeline at its top, with a call that undoes another",
            ),
            (
                "mgp-client-sdk/src/client",
                "a client of one server speaks for itself; the kernel does not use it",
            ),
            ("mgp-kernel/src/exchange/call.rs", "the one function that sends a tool call to a server"),
            ("mgp-kernel/src/path/resolve/service.rs", "sees that a host calls a tool"),
            ("mgp-kernel/src/path/pipeline.rs", "fits the results of calls to the host"),
            ("mgp-kernel/src/boot/methods.rs", "refuses a program's method of that name"),
            ("mgp-kernel/src/features/tasks/wait.rs", "fits the results of tasks to the host"),
            ("mgp/src/demo/steps", "the demo's host; it speaks to the kernel"),
        ],
        why: "every way to a tool goes through the pipeline",
    },
    WordRule {
        words: &["crate::client"],
        within: &["mgp-client-sdk/src/session"],
        places: &[],
        why: "the session is below the client",
    },
    WordRule {
        words: &["mgp_client_sdk::client"],
        within: &["mgp-kernel/src"],
        places: &[],
        why: "the kernel speaks to its servers through the session, below the client",
    },
    WordRule {
        words: &["start_as", "start_exact", "request_raw", "Peer::call"],
        within: &["mgp-kernel/src"],
        places: &[
            (
                "mgp-kernel/src/exchange/rounds.rs",
                "the one function that sends a tool call to a server, round by round",
            ),
            ("mgp-kernel/src/upstream/listing.rs", "lists through a `ControlPeer`, which cannot call"),
            ("mgp-kernel/src/exchange/questions.rs", "asks a host, which has no tools"),
        ],
        why: "a raw message could be a call past the pipeline",
    },
    WordRule {
        words: &[".ext"],
        within: GATES,
        places: &[],
        why: "what a gate needs is a field of its `ToolCall`",
    },
    WordRule {
        words: &[
            "stateless",
            "Stateless",
            "is_stateless",
            "speak_stateless",
            "is_of_one_request",
            "envelope",
            "RequestEnvelope",
            "EnvelopeMembers",
            "Era",
            "EraChoice::",
            "ServerEra",
            "V2026_07_28",
            "TaskForm::Core",
            "TaskForm::Extension",
        ],
        within: &[
            "mgp-security/src",
            "mgp-lifecycle/src",
            "mgp-stream/src",
            "mgp-discovery/src",
            "mgp-toolindex/src",
            "mgp-server-sdk/src",
            "mgp-client-sdk/src",
            "mgp-kernel/src",
            "mgp/src",
        ],
        places: &[
            ("mgp-server-sdk/src/era", "the adapter to the clients of a server"),
            ("mgp-client-sdk/src/session", "the adapter to a server: finds its era and hides it"),
            ("mgp-kernel/src/host", "the adapter to hosts"),
            ("mgp-discovery/src/config", "an operator may name the era of a server"),
            ("mgp-client-sdk/src/lib.rs", "exports the choice of a server's era"),
            ("mgp-kernel/src/lib.rs", "exports the choice of a server's era"),
            ("mgp-kernel/src/upstream/spec.rs", "reads the choice in the configuration"),
        ],
        why: "the era of a peer is known to the adapter at its edge and to nothing else",
    },
    WordRule {
        words: &["Core"],
        within: &["mgp-kernel/src"],
        places: &[],
        why: "a function takes the handles that it uses, not a struct of all of them",
    },
    WordRule {
        words: &["EraChoice"],
        within: &["mgp-client-sdk/src", "mgp-kernel/src", "mgp/src"],
        places: &[
            ("mgp-client-sdk/src/session", "finds the era of a server"),
            ("mgp-client-sdk/src/lib.rs", "exports the choice"),
            ("mgp-kernel/src/lib.rs", "exports the choice"),
            ("mgp-client-sdk/src/client/builder.rs", "the setting of a client, which only the session reads"),
            ("mgp-kernel/src/upstream/spec.rs", "the setting of a server, which only the session reads"),
        ],
        why: "a choice of era is handed to the session as it is",
    },
    WordRule {
        words: &[
            "ext.get",
            "ext.get_mut",
            "ext.insert",
            "ext.remove",
            ".extensions()",
            ".extensions_mut()",
            "Extensions",
        ],
        within: &["mgp-kernel/src"],
        places: &[(
            "mgp-kernel/src/ground/trace/span.rs",
            "the span of a request, a type of the kernel's own",
        )],
        why: "a call and a message state their context by typed fields and accessors",
    },
];

/// A section of the specification: the types of its methods, and the crate that answers them.
pub(super) struct Section {
    pub(super) types: &'static str,
    pub(super) owner: &'static str,
}

pub(super) const SECTIONS: &[Section] = &[
    Section { types: "mgp-types/src/access", owner: "mgp-security" },
    Section { types: "mgp-types/src/audit", owner: "mgp-security" },
    Section { types: "mgp-types/src/permission", owner: "mgp-security" },
    Section { types: "mgp-types/src/lifecycle", owner: "mgp-lifecycle" },
    Section { types: "mgp-types/src/stream.rs", owner: "mgp-stream" },
    Section { types: "mgp-types/src/events.rs", owner: "mgp-stream" },
    Section { types: "mgp-types/src/callback.rs", owner: "mgp-stream" },
    Section { types: "mgp-types/src/discovery.rs", owner: "mgp-discovery" },
    Section { types: "mgp-types/src/tool_index", owner: "mgp-toolindex" },
];

/// The places that may name a section's method besides its crate.
pub(super) const NAMING_METHODS: &[Place] = &[
    ("mgp-check/src", "asks a server for each of its sections, and has none itself"),
    ("mgp/src/demo/steps", "the demo looks at what went over the wire"),
];

/// The most modules of a folder that may import each other in a ring.
pub(super) const MAX_CYCLE: usize = 3;

/// The sources of the kernel.
pub(super) const KERNEL: &str = "mgp-kernel/src";

/// The rooms of the kernel, the highest first. A room may import only the rooms below it.
pub(super) const ROOMS: &[&str] =
    &["boot", "path", "exchange", "features", "catalog", "host", "upstream", "rights", "ground"];

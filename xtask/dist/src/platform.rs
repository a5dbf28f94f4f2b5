//! The platforms of releases, with their names in each registry.

/// A platform.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Platform {
    /// The name in Rust.
    pub(crate) target: &'static str,
    /// The names of the system and the processor in Node.
    pub(crate) node: (&'static str, &'static str),
    /// The name of the processor in wheels.
    pub(crate) wheel: &'static str,
    /// The name of the processor in Debian.
    pub(crate) deb: &'static str,
}

impl Platform {
    pub(crate) const ALL: [Self; 5] = [
        Self { target: "x86_64-unknown-linux-gnu", node: ("linux", "x64"), wheel: "x86_64", deb: "amd64" },
        Self {
            target: "aarch64-unknown-linux-gnu",
            node: ("linux", "arm64"),
            wheel: "aarch64",
            deb: "arm64",
        },
        Self {
            target: "x86_64-apple-darwin",
            node: ("darwin", "x64"),
            wheel: "macosx_10_12_x86_64",
            deb: "",
        },
        Self {
            target: "aarch64-apple-darwin",
            node: ("darwin", "arm64"),
            wheel: "macosx_11_0_arm64",
            deb: "",
        },
        Self { target: "x86_64-pc-windows-msvc", node: ("win32", "x64"), wheel: "win_amd64", deb: "" },
    ];

    /// Returns the platform with a name in Rust.
    pub(crate) fn of(target: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|platform| platform.target == target).ok_or_else(|| {
            let names = Self::ALL.map(|platform| platform.target);
            format!("no packages are made for {target:?}: expected one of {}", names.join(", "))
        })
    }

    /// Returns the end of the name of npm's package.
    pub(crate) fn npm(self) -> String {
        format!("{}-{}", self.node.0, self.node.1)
    }

    pub(crate) fn is_linux(self) -> bool {
        self.node.0 == "linux"
    }

    /// Returns the name of the program's file.
    pub(crate) fn program(self) -> &'static str {
        if self.node.0 == "win32" { "mgp.exe" } else { "mgp" }
    }

    /// Returns the name of the processor in `.rpm` packages.
    pub(crate) fn rpm(self) -> &'static str {
        self.wheel
    }
}

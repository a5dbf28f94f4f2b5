//! The command line.

use xtask_install::ProgramFeatures;

/// The usage of the command.
pub(crate) const USAGE: &str = "\
usage: cargo xtask peers [--only NAME[,NAME]] [--list] [--no-install] [--default-features]

Installs other people's MCP clients and servers into target/peers, and runs one row for each pair with ours.
With CI=true in the environment, a peer that could not be installed fails its rows; otherwise they are skipped.

  --only NAME         only rows whose name contains NAME; several with commas
  --list              print the names of the rows and end
  --no-install        install nothing; rows without their peers are skipped
  --default-features  build our programs with their default features, as users do (otherwise with all, as in the tests)";

/// The parsed command line.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Arguments {
    /// Parts of names; empty means every row.
    pub(crate) only: Vec<String>,
    pub(crate) list: bool,
    pub(crate) no_install: bool,
    pub(crate) features: ProgramFeatures,
}

impl Arguments {
    /// Reads the command line. Returns `None` for a request for help.
    pub(crate) fn parse(arguments: &[String]) -> Result<Option<Self>, String> {
        let mut parsed = Self::default();
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            match argument.as_str() {
                "--help" | "-h" => return Ok(None),
                "--list" => parsed.list = true,
                "--no-install" => parsed.no_install = true,
                "--default-features" => parsed.features = ProgramFeatures::Default,
                "--only" => parsed.only(rest.next().map_or("", String::as_str))?,
                other => match other.strip_prefix("--only=") {
                    Some(names) => parsed.only(names)?,
                    None => return Err(format!("unknown argument `{other}`\n\n{USAGE}")),
                },
            }
        }
        Ok(Some(parsed))
    }

    fn only(&mut self, names: &str) -> Result<(), String> {
        let names: Vec<_> = names.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
        if names.is_empty() {
            return Err("--only needs a part of a row's name".to_owned());
        }
        self.only.extend(names.into_iter().map(str::to_owned));
        Ok(())
    }

    /// Returns `true` if a row is chosen.
    pub(crate) fn wants(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|part| name.contains(part.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Option<Arguments>, String> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        Arguments::parse(&words)
    }

    #[test]
    fn names_may_be_given_at_once_and_one_by_one() {
        let parsed = parse("--only a,b --only=c --list").unwrap().unwrap();
        let only = ["a", "b", "c"].map(str::to_owned).to_vec();
        assert_eq!(parsed, Arguments { only, list: true, ..Arguments::default() });
        assert!(parsed.wants("a row with c") && !parsed.wants("xyz"));
        assert!(Arguments::default().wants("any"));
    }

    #[test]
    fn programs_have_all_features_by_default() {
        assert_eq!(parse("").unwrap().unwrap().features, ProgramFeatures::All);
        assert_eq!(parse("--default-features").unwrap().unwrap().features, ProgramFeatures::Default);
    }

    #[test]
    fn an_unknown_argument_is_named() {
        assert!(parse("--fast").unwrap_err().starts_with("unknown argument `--fast`"));
        assert!(parse("--only").unwrap_err().contains("--only needs"));
        assert!(parse("--list --help").unwrap().is_none());
    }
}

//! The configuration file: read, or refused with problems whose spans lie within the text and can be displayed.

use mgp_discovery::config::Config;

pub(super) fn run(data: &[u8]) {
    let variable = |name: &str| name.len().is_multiple_of(2).then(|| name.to_owned());
    let Err(error) = Config::parse("mgp.toml".as_ref(), data, &variable) else { return };
    for problem in error.problems() {
        let text = std::str::from_utf8(data).expect("only text has problems");
        assert!(
            text.get(problem.span()).is_some(),
            "{problem}: {:?} is not a part of the text",
            problem.span()
        );
        assert!(problem.line() >= 1 && problem.column() >= 1);
    }
    let _ = format!("{:?}", miette::Report::new(error));
}

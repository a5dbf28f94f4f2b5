//! All rows, in the order of the groups.

use super::{
    all_servers, apps, check, compatibility, examples, fixture, hosts, in_front, live, metrics, object_store,
    odd, parsers, proposals, rest,
};
use crate::rows::Row;
use xtask_install::ProgramFeatures;

/// Returns every row of programs with these features. The rows of only the kernel come first: they warm up the servers that a host then starts all at once.
pub(crate) fn rows(features: ProgramFeatures) -> Vec<Row> {
    let mut rows = in_front::rows();
    rows.extend(hosts::rows());
    rows.extend(fixture::rows(features));
    rows.extend(parsers::rows());
    rows.extend(live::rows());
    rows.extend(check::rows());
    rows.extend(metrics::rows());
    rows.extend(object_store::rows(features));
    rows.extend(rest::rows());
    rows.extend(examples::rows());
    rows.extend(proposals::rows());
    rows.extend(odd::rows());
    rows.extend(compatibility::rows());
    rows.extend(apps::rows());
    rows.extend(all_servers::rows());
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn each_group_has_its_rows_and_each_row_a_name_of_its_own() {
        let rows = rows(ProgramFeatures::All);
        let names: HashSet<_> = rows.iter().map(|row| row.name.as_str()).collect();
        assert_eq!(rows.len(), names.len());
        let group = |prefix: &str| names.iter().filter(|name| name.starts_with(prefix)).count();
        let groups = [
            "kernel/",
            "confined/",
            "host/",
            "fixture/",
            "live/",
            "check/",
            "metrics/",
            "objects/",
            "rest/",
            "examples/",
            "proposals/",
            "odd/",
            "matrix/",
            "search/",
            "parsers/",
            "apps/",
        ]
        .map(group);
        assert_eq!(
            (groups, groups.iter().sum()),
            ([27, 17, 14, 24, 14, 11, 1, 1, 2, 2, 10, 243, 4, 1, 6, 2], rows.len())
        );
    }
}

//! Queries over both tables of events, in an order.

/// The table of the newest events, with the computed columns of the other one.
const NEWEST: &str = "(SELECT seq, at, event_type, actor_id, server_id, trace_id,
    CASE WHEN json_valid(event) THEN event ->> '$.target.tool_name' END AS tool_name,
    CASE WHEN json_valid(event) THEN event ->> '$.result' END AS result, event FROM events)";

/// Returns a query of the events of both tables that match conditions, in an order. Its parameters have numbers, because it names each twice.
/// The conditions of `older` are only for the older events: they follow from the others, and let SQLite read fewer.
///
/// SQLite merges the tables, each in its order, and so reads only the events that a limit lets through. Over the view, it reads and sorts
/// all of them.
pub(super) fn ordered(columns: &str, conditions: &str, older: &str, order: &str) -> String {
    format!(
        "SELECT {columns} FROM older_events WHERE {conditions}{older} \
         UNION ALL SELECT {columns} FROM {NEWEST} WHERE {conditions} ORDER BY {order}"
    )
}

/// Returns the conditions on the numbers of older events that follow from conditions on their time. Numbers are in about the order of times, so that
/// an order by numbers then stays near the times. The `+` lets SQLite use the index by time.
pub(super) fn numbers_of_times(conditions: &[String]) -> String {
    let of = |condition: &String| {
        if condition.starts_with("at >= ") {
            Some(format!(
                " AND seq >= ifnull((SELECT min(+seq) FROM older_events WHERE {condition}), {NO_NUMBER})"
            ))
        } else if condition.starts_with("at < ") {
            Some(format!(" AND seq <= ifnull((SELECT max(+seq) FROM older_events WHERE {condition}), -1)"))
        } else {
            None
        }
    };
    conditions.iter().filter_map(of).collect()
}

/// A number that no event has.
const NO_NUMBER: i64 = i64::MAX;

#[cfg(test)]
#[cfg(feature = "full")]
mod tests {
    use super::*;
    use crate::audit::{AuditLog, AuditLogConfig};
    use rusqlite::Connection;

    #[tokio::test]
    async fn no_query_sorts_the_older_events() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.sqlite3");
        AuditLog::open(&path, &AuditLogConfig::default()).unwrap().flush().await.unwrap();
        let connection = Connection::open(path).unwrap();
        for (conditions, order) in [
            ("1", "seq DESC LIMIT 20"),
            ("actor_id = 'a' AND tool_name = 't' AND result = 'r'", "seq DESC LIMIT 20"),
            ("seq > 7", "seq ASC LIMIT 20"),
            ("at >= 7 AND at < 8", "at DESC LIMIT 20"),
        ] {
            let plan = format!("EXPLAIN QUERY PLAN {}", ordered("seq, at, event", conditions, "", order));
            let mut plan = connection.prepare(&plan).unwrap();
            let steps = plan.query_map([], |row| row.get::<_, String>(3)).unwrap();
            let steps: Vec<_> = steps.collect::<Result<_, _>>().unwrap();
            let is_merged = steps.iter().any(|step| step.starts_with("MERGE"));
            let left = steps.iter().skip_while(|step| *step != "LEFT");
            let is_sorted = left.take_while(|step| *step != "RIGHT").any(|step| step.contains("TEMP B-TREE"));
            assert!(is_merged && !is_sorted, "{conditions}: {steps:?}");
        }
        let times = ["at >= 7".to_owned(), "actor_id = 'a'".to_owned(), "at < 8".to_owned()];
        let older = numbers_of_times(&times);
        let plan = ordered("seq, event", &times.join(" AND "), &older, "seq DESC LIMIT 20");
        let mut plan = connection.prepare(&format!("EXPLAIN QUERY PLAN {plan}")).unwrap();
        let steps = plan.query_map([], |row| row.get::<_, String>(3)).unwrap();
        let steps: Vec<_> = steps.collect::<Result<_, _>>().unwrap();
        let by_number = "SEARCH older_events USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)";
        assert!(steps.iter().any(|step| step == by_number), "{steps:?}");
    }
}

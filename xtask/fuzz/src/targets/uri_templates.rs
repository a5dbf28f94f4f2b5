//! URI templates and the URIs that match them, on a line each.

use mgp_server_sdk::fuzzing::match_uri;

pub(super) fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let (template, uri) = text.split_once('\n').unwrap_or((text, text));
    let Ok(Some(values)) = match_uri(template, uri) else { return };
    // The values, escaped and written into the template, match it again.
    let mut written = template.to_owned();
    for (name, value) in &values {
        let escaped: String = value.bytes().map(|byte| format!("%{byte:02X}")).collect();
        written = written.replacen(&format!("{{{name}}}"), &escaped, 1);
    }
    assert!(values.iter().all(|(_, value)| !value.is_empty()));
    if let Some(again) = match_uri(template, &written).expect("it is a template") {
        assert_eq!(again.len(), values.len());
    }
}

//! Arguments in headers: any text can be read back from its header, and a header agrees with its own arguments. The
//! input is a schema and arguments, on a line each.

use mgp_transport::http::param_header::{ParamHeader, decode_header, encode_header};
use mgp_types::json::{RawJson, RawObject};

fn check_text(text: &str) {
    let header = encode_header(text);
    assert!(header.bytes().all(|byte| (b' '..=b'~').contains(&byte)) && header.trim() == header);
    assert_eq!(decode_header(&header).as_deref(), Ok(text));
    let _ = decode_header(text);
}

pub(super) fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let (schema, arguments) = text.split_once('\n').unwrap_or((text, "{}"));
    check_text(text);
    check_text(schema);
    let Ok(schema) = RawJson::parse(schema.to_owned()) else { return };
    let Ok(headers) = ParamHeader::of_schema(&schema) else { return };
    let Ok(arguments) = RawObject::parse(arguments.to_owned()) else { return };
    for (at, header) in headers.iter().enumerate() {
        assert!(headers[..at].iter().all(|other| !other.header.eq_ignore_ascii_case(&header.header)));
        let value = header.value(&arguments);
        assert!(header.agrees(&arguments, value.as_deref()), "a header agrees with what it was made from");
        if value.is_some() {
            assert!(!header.agrees(&arguments, None), "a header that is missing says nothing");
        }
    }
}

//! The files that pages load, compiled in.

use axum::{
    extract::Path,
    response::{IntoResponse, Response},
};
use http::{StatusCode, header};

/// A file, with its media type and its content.
struct Asset {
    name: &'static str,
    media_type: &'static str,
    content: &'static [u8],
}

const ASSETS: &[Asset] = &[
    Asset { name: "htmx.js", media_type: "text/javascript", content: include_bytes!("assets/htmx.js") },
    Asset {
        name: "htmx-sse.js",
        media_type: "text/javascript",
        content: include_bytes!("assets/htmx-sse.js"),
    },
    Asset {
        name: "console.js",
        media_type: "text/javascript; charset=utf-8",
        content: include_bytes!("assets/console.js"),
    },
    Asset {
        name: "editor.js",
        media_type: "text/javascript; charset=utf-8",
        content: include_bytes!("assets/editor.js"),
    },
    Asset {
        name: "forms.js",
        media_type: "text/javascript; charset=utf-8",
        content: include_bytes!("assets/forms.js"),
    },
    Asset {
        name: "console.css",
        media_type: "text/css; charset=utf-8",
        content: include_bytes!("assets/console.css"),
    },
    Asset { name: "mark.svg", media_type: "image/svg+xml", content: include_bytes!("assets/mark.svg") },
];

/// The time for which a browser keeps a file, in seconds: pages name the version of the program in the address.
const CACHED: &str = "max-age=86400, immutable";

/// Sends a file.
pub(crate) async fn asset(Path(name): Path<String>) -> Response {
    match ASSETS.iter().find(|asset| asset.name == name) {
        Some(asset) => {
            ([(header::CONTENT_TYPE, asset.media_type), (header::CACHE_CONTROL, CACHED)], asset.content)
                .into_response()
        }
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

/// Returns the address of a file, which another version of the program does not share.
pub(crate) fn address(name: &str) -> String {
    format!("/assets/{name}?{}", env!("CARGO_PKG_VERSION"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_files_together_are_at_most_500_kb() {
        let sum: usize = ASSETS.iter().map(|asset| asset.content.len()).sum();
        assert!(sum <= 500_000, "{sum}");
    }
}

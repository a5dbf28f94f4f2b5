//! Relative links in Markdown lead to an existing file, and to a heading in it.

use super::Finding;
use crate::tree::{File, Tree};

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.markdown().flat_map(|file| broken(tree, file)).collect()
}

fn broken(tree: &Tree, file: &File) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (line, link) in links(&prose(&file.text)) {
        let (path, heading) =
            link.split_once('#').map_or((link, None), |(path, heading)| (path, Some(heading)));
        let target = if path.is_empty() { Some(file.path.clone()) } else { resolve(&file.path, path) };
        let Some(target) = target.filter(|target| target.is_empty() || tree.paths.contains(target)) else {
            findings.push(Finding::on_line(&file.path, line, format!("`{link}` leads to no file")));
            continue;
        };
        let page = tree.file(&target).filter(|file| file.path.ends_with(".md"));
        if let (Some(page), Some(heading)) = (page, heading)
            && !headings(&page.text).iter().any(|known| known == heading)
        {
            findings.push(Finding::on_line(&file.path, line, format!("`{link}` leads to no heading")));
        }
    }
    findings
}

/// The targets of `[text](target)` and `[name]: target` that are paths, with their lines.
fn links(prose: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    for (index, line) in prose.lines().enumerate() {
        let inline = line.match_indices("](").filter_map(|(at, _)| line.get(at + 2..)?.split(')').next());
        let named = line.strip_prefix('[').and_then(|rest| rest.split_once("]: ")).map(|(_, target)| target);
        for target in inline.chain(named) {
            let target = target.split_whitespace().next().unwrap_or_default().trim_matches(['<', '>']);
            // The rest are addresses of the web, or items that rustdoc resolves.
            if !target.is_empty() && !target.contains(':') {
                found.push((index + 1, target));
            }
        }
    }
    found
}

/// The text with code blocks emptied and the insides of code spans removed; lines stay in place.
fn prose(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut in_block = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            in_block = !in_block;
        } else if !in_block {
            kept.extend(line.split('`').step_by(2));
        }
        kept.push('\n');
    }
    kept
}

/// The names under which headings are linked to.
fn headings(text: &str) -> Vec<String> {
    let mut in_block = false;
    let mut found = Vec::new();
    for line in text.lines() {
        in_block ^= line.trim_start().starts_with("```");
        if line.starts_with('#') && !in_block {
            let title = line.trim_start_matches('#').trim().to_lowercase();
            let kept = title.chars().filter(|letter| letter.is_alphanumeric() || " -_".contains(*letter));
            found.push(kept.map(|letter| if letter == ' ' { '-' } else { letter }).collect());
        }
    }
    found
}

/// The path that a link in this file means, from the root; `None` if it leaves the repository.
pub(super) fn resolve(file: &str, link: &str) -> Option<String> {
    let mut parts: Vec<&str> = file.split('/').collect();
    parts.pop();
    if link.starts_with('/') {
        parts.clear();
    }
    for part in link.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_page(text: &str) -> Vec<String> {
        let tree =
            Tree::of(&[("docs/a.md", text), ("docs/b.md", "# The *second* page: b\n"), ("README.md", "")]);
        check(&tree).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_link_to_a_missing_file_is_found() {
        assert_eq!(check_page("\n[x](c.md)"), ["docs/a.md:2: `c.md` leads to no file"]);
        assert_eq!(check_page("[x]: ../../b.md"), ["docs/a.md:1: `../../b.md` leads to no file"]);
    }

    #[test]
    fn a_link_to_a_missing_heading_is_found() {
        assert_eq!(check_page("[x](b.md#first)"), ["docs/a.md:1: `b.md#first` leads to no heading"]);
        assert_eq!(check_page("# A\n[x](#b)"), ["docs/a.md:2: `#b` leads to no heading"]);
    }

    #[test]
    fn links_that_lead_somewhere_pass() {
        let text = "# A b\n[x](b.md#the-second-page-b) [x](../README.md) [x](#a-b) [x](https://x.org/y) [`X`](crate::X)";
        assert_eq!(check_page(text), [] as [&str; 0]);
    }

    #[test]
    fn code_holds_no_links_and_no_headings() {
        assert_eq!(check_page("```\na[b](c)\n# A\n```\n`a[0](b)`\n"), [] as [&str; 0]);
        assert_eq!(check_page("```\n# A\n```\n[x](#a)"), ["docs/a.md:4: `#a` leads to no heading"]);
    }
}

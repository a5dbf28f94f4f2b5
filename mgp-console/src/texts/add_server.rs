//! The words of the forms.

use super::table::words;

words! {
    /// The forms that add a server.
    AddServerWords {
        title help found url_name choices registry registry_help words search no_entry more name version comes_as description deprecated
        is_deprecated anybody no_way unusable toml required optional package kind npx uvx dnx docker url package_name
        args env headers oauth id move_keys unconfined no_trial preview command command_help register_id program program_help
        permissions reason register variables needs needs_help runs file remark try_help add added not_added open
        registered waits_for offers_none offers_one offers_many tools tool risk
        space space_help split starting connected has_one has_many let_use is_asked fails change_it change_title change_help remove_old old_removed
        values_again
    }
}

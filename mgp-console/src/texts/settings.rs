//! The words of the page.

use super::table::words;

words! {
    /// The configuration and its keys.
    SettingWords {
        title views configuration doctor keys no_file file help reload text check order not_writable problem_one
        problem_many line same difference effect effect_unknown save saved reloaded gateway added removed restarted applied
        needs_restart restart_how no_change more_lines key_search tables no_key more_keys default in_table insert
        loosens_policy loosens_default loosens_confirmation loosens_confinement loosens_network loosens_validator loosens_code
        loosens_definitions loosens_key loosens_question
    }

    /// The findings of the doctor.
    DoctorWords {
        title help looking healthy one many more mend mend_one mend_many mend_confirm mended error warning note run set
        to_configuration more_about places program configuration state confinement available
    }
}

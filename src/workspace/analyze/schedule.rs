//! Cron expressions and time zones.

use chrono::{TimeZone, Utc};
use chrono_tz::Tz;
use croner::parser::{CronParser, Seconds};

/// What is wrong with a schedule; `Ok(true)` when it comes more often than once a minute.
pub fn check(cron: &str, timezone: &str) -> Result<bool, String> {
    let zone: Tz = timezone.parse().map_err(|_| "`timezone` is not the name of a time zone".to_owned())?;
    let fields = cron.split_whitespace().count();
    if fields != 5 && fields != 6 {
        return Err("`cron` has five fields, or six with seconds first".to_owned());
    }
    let parser = CronParser::builder().seconds(Seconds::Optional).build();
    let schedule = parser.parse(cron).map_err(|error| format!("`cron` cannot be read: {error}"))?;
    if fields == 5 {
        return Ok(false);
    }
    // Any fixed moment does: the distance of seconds is what counts.
    let Some(start) = Utc.with_ymd_and_hms(2024, 1, 1, 0, 0, 0).single() else { return Ok(false) };
    let start = start.with_timezone(&zone);
    let fires: Vec<_> = schedule.iter_from(start, croner::Direction::Forward).take(8).collect();
    Ok(fires.windows(2).any(|pair| (pair[1] - pair[0]).num_seconds() < 60))
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn schedules() {
        assert_eq!(check("0 9 * * *", "UTC"), Ok(false));
        assert_eq!(check("*/10 * * * * *", "Europe/Berlin"), Ok(true));
        assert_eq!(check("0 */5 * * * *", "UTC"), Ok(false));
        for (cron, zone) in
            [("61 * * * *", "UTC"), ("* * * *", "UTC"), ("0 9 * * *", "Mars/X"), ("@daily", "UTC")]
        {
            assert!(check(cron, zone).is_err(), "{cron} {zone}");
        }
    }
}

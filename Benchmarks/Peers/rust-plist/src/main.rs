// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

//! One row by rust-plist; one line of JSON, as bench-row prints it.
//!
//!     rust-plist-row ROW JOB FILE SOURCE FORMAT RUNS SCALE BENCH_ROW
//!
//! Values are visited while the clock runs, as in bench-row.

mod checksum;
mod memory;

use plist::Value;
use std::error::Error;
use std::io::Cursor;
use std::process::Command;
use std::time::Instant;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// What measured work leaves behind.
enum Outcome {
    Checksum(u64),
    /// A file, whose checksum is not part of the work.
    File(Vec<u8>),
}

type Work = Box<dyn Fn() -> Result<Outcome>>;

struct Row {
    name: String,
    job: String,
    file: String,
    source: String,
    format: String,
    runs: usize,
    scale: String,
    bench_row: String,
}

fn main() {
    if let Err(error) = Row::from_arguments().and_then(|row| row.measure()) {
        eprintln!("rust-plist-row: {error}");
        std::process::exit(1);
    }
}

impl Row {
    fn from_arguments() -> Result<Row> {
        let arguments: Vec<String> = std::env::args().skip(1).collect();
        let [name, job, file, source, format, runs, scale, bench_row] = arguments
            .try_into()
            .map_err(|_| "ROW JOB FILE SOURCE FORMAT RUNS SCALE BENCH_ROW")?;
        let runs = runs.parse()?;
        Ok(Row { name, job, file, source, format, runs, scale, bench_row })
    }

    fn measure(&self) -> Result<()> {
        let work = self.work()?;
        let before = memory::current();
        memory::reset_peak();
        let (first, outcome) = timed(&work)?;
        let peak = memory::peak();
        let sum = self.checksum(outcome)?;
        let mut seconds = vec![first];
        while seconds.len() < self.runs {
            let (next, again) = timed(&work)?;
            if matches!(again, Outcome::Checksum(other) if other != sum) {
                return Err("two runs, two results".into());
            }
            seconds.push(next);
        }
        println!(
            "{{\"row\":\"{}\",\"implementation\":\"rust-plist\",\"scale\":{},\"bytes\":{},\
             \"seconds\":{seconds:?},\"checksum\":\"{sum:x}\",\"residentBefore\":{before},\
             \"residentPeak\":{peak}}}",
            self.name, self.scale, std::fs::metadata(&self.file)?.len());
        Ok(())
    }

    fn work(&self) -> Result<Work> {
        match self.job.as_str() {
            "parse" => parsing(std::fs::read(&self.file)?),
            "touch" => touching(std::fs::read(&self.file)?),
            "lookup" => looking_up(std::fs::read(&self.file)?, self.keys()?),
            "write" => writing(std::fs::read(&self.source)?, self.format == "binary"),
            other => Err(format!("no work `{other}`").into()),
        }
    }

    /// The keys of the row `lookup`, in order.
    fn keys(&self) -> Result<Vec<String>> {
        let output = self.bench_row(&["keys", &self.scale])?;
        Ok(output.lines().map(str::to_owned).collect())
    }

    fn checksum(&self, outcome: Outcome) -> Result<u64> {
        let bytes = match outcome {
            Outcome::Checksum(sum) => return Ok(sum),
            Outcome::File(bytes) => bytes,
        };
        let path = std::env::temp_dir().join(format!("rust-plist-row-{}", std::process::id()));
        std::fs::write(&path, bytes)?;
        let sum = self.bench_row(&["checksum", &path.to_string_lossy()]);
        std::fs::remove_file(&path)?;
        Ok(u64::from_str_radix(sum?.trim(), 16)?)
    }

    fn bench_row(&self, arguments: &[&str]) -> Result<String> {
        let output = Command::new(&self.bench_row).args(arguments).output()?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into());
        }
        Ok(String::from_utf8(output.stdout)?)
    }
}

fn timed(work: &Work) -> Result<(f64, Outcome)> {
    let start = Instant::now();
    let outcome = work()?;
    Ok((start.elapsed().as_secs_f64(), outcome))
}

fn read(bytes: &[u8]) -> Result<Value> {
    Ok(Value::from_reader(Cursor::new(bytes))?)
}

fn parsing(bytes: Vec<u8>) -> Result<Work> {
    Ok(Box::new(move || Ok(Outcome::Checksum(checksum::checksum(&read(&bytes)?)))))
}

fn touching(bytes: Vec<u8>) -> Result<Work> {
    Ok(Box::new(move || {
        let root = read(&bytes)?;
        let found = touched(&root)
            .ok_or("expected Tracks/100/Name, $objects[2] or element 1,000, found none of them")?;
        Ok(Outcome::Checksum(checksum::checksum(found)))
    }))
}

/// The value under a way of keys, by the shape of the file.
fn touched(root: &Value) -> Option<&Value> {
    let Some(entries) = root.as_dictionary() else {
        return root.as_array()?.get(1_000);
    };
    if let Some(tracks) = entries.get("Tracks") {
        return tracks.as_dictionary()?.get("100")?.as_dictionary()?.get("Name");
    }
    entries.get("$objects")?.as_array()?.get(2)
}

fn looking_up(bytes: Vec<u8>, keys: Vec<String>) -> Result<Work> {
    Ok(Box::new(move || {
        let root = read(&bytes)?;
        let entries = root.as_dictionary().ok_or("the root is no dictionary")?;
        let values: Option<Vec<&Value>> = keys.iter().map(|key| entries.get(key)).collect();
        let values = values.ok_or("a key is missing")?;
        Ok(Outcome::Checksum(checksum::checksum_of_integers(values.into_iter())))
    }))
}

fn writing(source: Vec<u8>, binary: bool) -> Result<Work> {
    let mut value = read(&source)?;
    if !binary {
        replace_uids(&mut value);
    }
    Ok(Box::new(move || {
        let mut output = Vec::new();
        if binary {
            value.to_writer_binary(&mut output)?;
        } else {
            value.to_writer_xml(&mut output)?;
        }
        Ok(Outcome::File(output))
    }))
}

/// Puts dictionaries `{CF$UID: n}` in place of UIDs, which rust-plist does not write to XML.
fn replace_uids(value: &mut Value) {
    match value {
        Value::Uid(uid) => {
            let number = Value::Integer(uid.get().into());
            *value = Value::Dictionary([("CF$UID".to_owned(), number)].into_iter().collect());
        }
        Value::Array(elements) => elements.iter_mut().for_each(replace_uids),
        Value::Dictionary(entries) => entries.iter_mut().for_each(|(_, value)| replace_uids(value)),
        _ => {}
    }
}

//! The abbreviations of time zones that PostgreSQL knows by default, from its `timezonesets/Default`.

/// What an abbreviation stands for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Meaning {
    /// An offset, in seconds east of UTC.
    Offset(i32),
    /// Whatever it meant in this zone at the time in question.
    In(&'static str),
}

/// What an abbreviation, in lower case, stands for.
pub(super) fn meaning(abbreviation: &str) -> Option<Meaning> {
    let at = TABLE.binary_search_by(|(name, _)| (*name).cmp(abbreviation)).ok()?;
    TABLE.get(at).map(|(_, meaning)| *meaning)
}

use Meaning::{In, Offset};

#[rustfmt::skip]
static TABLE: &[(&str, Meaning)] = &[
    ("acdt", Offset(37800)), ("acsst", Offset(37800)), ("acst", Offset(34200)),
    ("act", Offset(-18000)), ("acwst", Offset(31500)), ("adt", Offset(-10800)),
    ("aedt", Offset(39600)), ("aesst", Offset(39600)), ("aest", Offset(36000)),
    ("aft", Offset(16200)), ("akdt", Offset(-28800)), ("akst", Offset(-32400)),
    ("almst", Offset(25200)), ("almt", Offset(21600)), ("amst", In("Asia/Yerevan")),
    ("amt", Offset(-14400)), ("anast", In("Asia/Anadyr")), ("anat", In("Asia/Anadyr")),
    ("arst", In("America/Argentina/Buenos_Aires")), ("art", In("America/Argentina/Buenos_Aires")),
    ("ast", Offset(-14400)), ("awsst", Offset(32400)), ("awst", Offset(28800)),
    ("azost", Offset(0)), ("azot", Offset(-3600)), ("azst", In("Asia/Baku")),
    ("azt", In("Asia/Baku")), ("bdst", Offset(7200)), ("bdt", Offset(21600)),
    ("bnt", Offset(28800)), ("bort", Offset(28800)), ("bot", Offset(-14400)),
    ("bra", Offset(-10800)), ("brst", Offset(-7200)), ("brt", Offset(-10800)),
    ("bst", Offset(3600)), ("btt", Offset(21600)), ("cadt", Offset(37800)), ("cast", Offset(34200)),
    ("cct", Offset(28800)), ("cdt", Offset(-18000)), ("cest", Offset(7200)), ("cet", Offset(3600)),
    ("cetdst", Offset(7200)), ("chadt", Offset(49500)), ("chast", Offset(45900)),
    ("chut", Offset(36000)), ("ckt", In("Pacific/Rarotonga")), ("clst", Offset(-10800)),
    ("clt", In("America/Santiago")), ("cot", Offset(-18000)), ("cst", Offset(-21600)),
    ("cxt", Offset(25200)), ("davt", In("Antarctica/Davis")), ("ddut", Offset(36000)),
    ("easst", In("Pacific/Easter")), ("east", In("Pacific/Easter")), ("eat", Offset(10800)),
    ("edt", Offset(-14400)), ("eest", Offset(10800)), ("eet", Offset(7200)),
    ("eetdst", Offset(10800)), ("egst", Offset(0)), ("egt", Offset(-3600)), ("est", Offset(-18000)),
    ("fet", Offset(10800)), ("fjst", Offset(46800)), ("fjt", Offset(43200)),
    ("fkst", In("Atlantic/Stanley")), ("fkt", In("Atlantic/Stanley")), ("fnst", Offset(-3600)),
    ("fnt", Offset(-7200)), ("galt", Offset(-21600)), ("gamt", Offset(-32400)),
    ("gest", In("Asia/Tbilisi")), ("get", In("Asia/Tbilisi")), ("gft", Offset(-10800)),
    ("gilt", Offset(43200)), ("gmt", Offset(0)), ("gyt", In("America/Guyana")),
    ("hkt", Offset(28800)), ("hst", Offset(-36000)), ("ict", Offset(25200)), ("idt", Offset(10800)),
    ("iot", In("Indian/Chagos")), ("irkst", In("Asia/Irkutsk")), ("irkt", In("Asia/Irkutsk")),
    ("irt", Offset(12600)), ("ist", Offset(7200)), ("jayt", Offset(32400)), ("jst", Offset(32400)),
    ("kdt", Offset(36000)), ("kgst", Offset(21600)), ("kgt", In("Asia/Bishkek")),
    ("kost", In("Pacific/Kosrae")), ("krast", In("Asia/Krasnoyarsk")),
    ("krat", In("Asia/Krasnoyarsk")), ("kst", Offset(32400)), ("lhdt", In("Australia/Lord_Howe")),
    ("lhst", Offset(37800)), ("ligt", Offset(36000)), ("lint", In("Pacific/Kiritimati")),
    ("lkt", In("Asia/Colombo")), ("magst", In("Asia/Magadan")), ("magt", In("Asia/Magadan")),
    ("mart", Offset(-34200)), ("mawt", In("Antarctica/Mawson")), ("mdt", Offset(-21600)),
    ("mest", Offset(7200)), ("mesz", Offset(7200)), ("met", Offset(3600)), ("metdst", Offset(7200)),
    ("mez", Offset(3600)), ("mht", Offset(43200)), ("mmt", Offset(23400)), ("mpt", Offset(36000)),
    ("msd", Offset(14400)), ("msk", In("Europe/Moscow")), ("mst", Offset(-25200)),
    ("must", Offset(18000)), ("mut", Offset(14400)), ("mvt", Offset(18000)), ("myt", Offset(28800)),
    ("ndt", Offset(-9000)), ("nft", Offset(-12600)), ("novst", In("Asia/Novosibirsk")),
    ("novt", In("Asia/Novosibirsk")), ("npt", Offset(20700)), ("nst", Offset(-12600)),
    ("nut", In("Pacific/Niue")), ("nzdt", Offset(46800)), ("nzst", Offset(43200)),
    ("nzt", Offset(43200)), ("omsst", In("Asia/Omsk")), ("omst", In("Asia/Omsk")),
    ("pdt", Offset(-25200)), ("pet", Offset(-18000)), ("petst", In("Asia/Kamchatka")),
    ("pett", In("Asia/Kamchatka")), ("pgt", Offset(36000)), ("pht", Offset(28800)),
    ("pkst", Offset(21600)), ("pkt", Offset(18000)), ("pmdt", Offset(-7200)),
    ("pmst", Offset(-10800)), ("pont", Offset(39600)), ("pst", Offset(-28800)),
    ("pwt", Offset(32400)), ("pyst", Offset(-10800)), ("pyt", In("America/Asuncion")),
    ("ret", Offset(14400)), ("sadt", Offset(37800)), ("sast", Offset(7200)), ("sct", Offset(14400)),
    ("sgt", In("Asia/Singapore")), ("taht", Offset(-36000)), ("tft", Offset(18000)),
    ("tjt", Offset(18000)), ("tkt", In("Pacific/Fakaofo")), ("tmt", In("Asia/Ashgabat")),
    ("tot", Offset(46800)), ("trut", Offset(36000)), ("tvt", Offset(43200)), ("uct", Offset(0)),
    ("ulast", Offset(32400)), ("ulat", In("Asia/Ulaanbaatar")), ("ut", Offset(0)),
    ("utc", Offset(0)), ("uyst", Offset(-7200)), ("uyt", Offset(-10800)), ("uzst", Offset(21600)),
    ("uzt", Offset(18000)), ("vet", In("America/Caracas")), ("vlast", In("Asia/Vladivostok")),
    ("vlat", In("Asia/Vladivostok")), ("volt", In("Europe/Volgograd")), ("vut", Offset(39600)),
    ("wadt", Offset(28800)), ("wakt", Offset(43200)), ("wast", Offset(25200)),
    ("wat", Offset(3600)), ("wdt", Offset(32400)), ("wet", Offset(0)), ("wetdst", Offset(3600)),
    ("wft", Offset(43200)), ("wgst", Offset(-7200)), ("wgt", Offset(-10800)),
    ("xjt", Offset(21600)), ("yakst", In("Asia/Yakutsk")), ("yakt", In("Asia/Yakutsk")),
    ("yapt", Offset(36000)), ("yekst", Offset(21600)), ("yekt", In("Asia/Yekaterinburg")),
    ("z", Offset(0)), ("zulu", Offset(0)),
];

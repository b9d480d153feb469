internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Terminal
internal import Web

/// Times as people of a language read them, in the company's time zone.
struct Moments {
  let words: Words
  private let clock: ZoneClock?

  init(_ frame: ScreenFrame) {
    words = Words.of(frame.language)
    clock = ZoneClock.load(frame.company.timeZone)
  }

  /// Returns an instant as text; another text as it is.
  func text(_ instant: String) -> String {
    guard let moment = Instant(rfc3339: instant) ?? (try? Instant(parsing: instant)) else { return instant }
    let local = MomentText.text(moment.rfc3339, by: clock)
    return DateText(words.language).text(local: String(local.prefix(16)))
  }

  /// Returns an instant with its full value for programs that read pages; nothing for null.
  func html(_ value: JSONValue?) -> HTML {
    guard let instant = value?.string else { return .none }
    return "<time datetime=\"\(instant)\">\(text(instant))</time>"
  }
}

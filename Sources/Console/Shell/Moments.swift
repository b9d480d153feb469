internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Terminal
internal import Web

/// Times as people of a language read them, in the time zone of a company.
struct Moments {
  let words: Words
  private let clock: ZoneClock?

  init(_ frame: ScreenFrame) {
    self.init(Words.of(frame.language), by: ZoneClock.load(frame.company.timeZone))
  }

  /// - Parameter clock: of the time zone; nil for UTC.
  init(_ words: Words, by clock: ZoneClock?) {
    self.words = words
    self.clock = clock
  }

  /// Returns an instant as text; another text as it is.
  func text(_ instant: String) -> String {
    guard let moment = Instant(rfc3339: instant) ?? (try? Instant(parsing: instant)) else { return instant }
    let local = MomentText.text(moment.rfc3339, by: clock)
    return DateText(words.language).text(local: String(local.prefix(16)))
  }

  /// Returns a text in which each instant, such as "2026-03-28T21:00:00Z", is written as people read it.
  func within(_ text: String) -> String {
    text.replacing(/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{5,15}Z/) { self.text(String($0.output)) }
  }

  /// Returns an instant with its full value for programs that read pages; nothing for null.
  func html(_ value: JSONValue?) -> HTML {
    guard let instant = value?.string else { return .none }
    return "<time datetime=\"\(instant)\">\(text(instant))</time>"
  }

  /// Returns an instant with its full value; nothing for nil.
  func html(_ instant: Instant?) -> HTML { html(instant.map { JSONValue.string($0.rfc3339) }) }
}

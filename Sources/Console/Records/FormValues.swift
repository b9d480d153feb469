internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Terminal
internal import Web

/// Turns what people write in a form into the values of columns, and back.
struct FormValues {
  let type: RecordType
  let language: Language
  private let clock: ZoneClock?

  init(_ type: RecordType, _ frame: ScreenFrame) {
    self.type = type
    language = frame.language
    clock = ZoneClock.load(frame.company.timeZone)
  }

  /// Returns the text of a field for a value.
  func text(_ column: String, _ value: JSONValue?) -> String {
    guard let value, !value.isNull else { return "" }
    switch type.column(column)?.kind {
    case .numeric?, .real?: return NumberText(language).input(decimal: value.displayText)
    case .time?: return String(value.displayText.prefix(5))
    case .array?: return (value.array ?? []).map(\.displayText).joined(separator: ", ")
    case .instant?:
      guard let moment = Instant(rfc3339: value.displayText) ?? (try? Instant(parsing: value.displayText))
      else {
        return value.displayText
      }
      return String(MomentText.text(moment.rfc3339, by: clock).prefix(16)).replacing(" ", with: "T")
    default: return value.displayText
    }
  }

  /// Returns the values of fields by column.
  ///
  /// - Throws: as ``value(_:_:)``.
  func values(_ texts: [String: String]) throws(DomainError) -> JSONObject {
    var values: JSONObject = [:]
    for (column, text) in texts.sorted(by: { $0.key < $1.key }) { values[column] = try value(column, text) }
    return values
  }

  /// Returns an error that quotes numbers and times as the person wrote them, and not as they were sent.
  func quoting(_ texts: [String: String], in error: DomainError) -> DomainError {
    var message = error.message
    for (column, text) in texts {
      guard let sent = (try? value(column, text))?.string, sent != text else { continue }
      message = message.replacing("\(Quoted(sent))", with: "\(Quoted(text))")
    }
    return DomainError(error.code, message, hint: error.hint, details: error.details)
  }

  /// Returns the value of a field; null if it is empty.
  ///
  /// - Throws: `invalid_number` naming the column for a number that can be read in two ways.
  func value(_ column: String, _ text: String) throws(DomainError) -> JSONValue {
    let text = type.column(column)?.kind == .text ? text : text.trimmingSpaces()
    guard !text.isEmpty else { return .null }
    switch type.column(column)?.kind {
    case .numeric?, .real?, .integer?:
      do {
        return .string(try NumberText(language).read(text))
      } catch {
        throw DomainError(error.code, error.message, hint: error.hint, details: ["fields": [.string(column)]])
      }
    case .instant?: return .string(instant(text))
    default: return .string(text)
    }
  }

  /// Returns a local time of the company, `2026-01-05T14:30`, as an instant. Another text is returned as it is, to be
  /// refused.
  private func instant(_ text: String) -> String {
    guard let wall = Instant(rfc3339: text.count == 16 ? "\(text):00Z" : "\(text)Z") else { return text }
    let seconds = wall.microseconds / 1_000_000
    let guess = seconds - Int64(clock?.offset(at: seconds) ?? 0)
    let exact = seconds - Int64(clock?.offset(at: guess) ?? 0)
    return Instant(microseconds: exact * 1_000_000).rfc3339
  }
}

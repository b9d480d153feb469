internal import ArgumentParser
internal import FettleClient

/// The fields of a change: `name=text`, or `name:=json`.
struct Fields: ParsableArguments {
  @Argument(help: "Fields: name=text, or name:=JSON for numbers, true, false and null")
  var fields: [String] = []

  /// Returns the values by name.
  ///
  /// - Throws: `ValidationError` for another form.
  func values() throws -> [String: FieldValue] {
    var values: [String: FieldValue] = [:]
    for text in fields {
      guard let sign = text.firstIndex(of: "="), sign > text.startIndex else {
        throw ValidationError("\"\(text)\" is not name=text or name:=JSON")
      }
      let value = String(text[text.index(after: sign)...])
      if text[text.index(before: sign)] == ":" {
        values[String(text[..<text.index(before: sign)])] = try FieldValue(parsing: value)
      } else {
        values[String(text[..<sign])] = .string(value)
      }
    }
    return values
  }
}

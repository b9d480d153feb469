/// A piece of a page.
///
/// Its literals are trusted, and every interpolated value is escaped, so that no value becomes markup:
///
/// ```swift
/// let row: HTML = "<td>\(name)</td>"
/// ```
///
/// There is no initialiser from a `String` known only at run time. Attributes are written in double quotes. A piece of
/// markup is nested by `\(piece)`, a place by `\(link: place)`, an attribute without a value by
/// `\(flag: "checked", if: isChosen)`.
package struct HTML: ExpressibleByStringInterpolation, Sendable {
  /// The markup.
  package fileprivate(set) var text: String

  package init(stringLiteral value: StaticString) { text = value.description }

  package init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

  /// Nothing.
  package static let none: HTML = ""

  /// True if there is no markup.
  package var isEmpty: Bool { text.isEmpty }

  /// Returns pieces one after the other.
  package static func joined(_ pieces: some Sequence<HTML>, separator: HTML = .none) -> HTML {
    var html = HTML.none
    html.text = pieces.map(\.text).joined(separator: separator.text)
    return html
  }

  /// Returns the markup with a piece at the beginning of each form that is sent by POST. Values are escaped, so that no value
  /// is taken for a form.
  package func addingToForms(_ piece: HTML) -> HTML {
    let bytes = Array(text.utf8)
    let (mark, sent) = (Array("<form ".utf8), "method=\"post\"")
    var made: [UInt8] = []
    made.reserveCapacity(bytes.count + 4_096)
    var start = 0
    for place in bytes.indices where bytes[place] == UInt8(ascii: "<") && bytes[place...].starts(with: mark) {
      guard let end = bytes[place...].firstIndex(of: UInt8(ascii: ">")) else { break }
      made += bytes[start...end]
      start = end + 1
      if String(decoding: bytes[place...end], as: UTF8.self).contains(sent) { made += piece.text.utf8 }
    }
    var html = HTML.none
    html.text = String(decoding: made + bytes[start...], as: UTF8.self)
    return html
  }

  package static func + (first: HTML, second: HTML) -> HTML { joined([first, second]) }

  /// Returns a text with the characters escaped that mean something in markup. A control character is shown as a
  /// replacement, because no page may contain it.
  static func escaped(_ value: String) -> String {
    var text = ""
    text.reserveCapacity(value.utf8.count)
    for scalar in value.unicodeScalars {
      switch scalar {
      case "&": text += "&amp;"
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      case "\"": text += "&quot;"
      case "'": text += "&#39;"
      case "\n", "\t", "\r": text.unicodeScalars.append(scalar)
      case "\u{0}"..."\u{1F}", "\u{7F}": text += "\u{FFFD}"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  /// Collects the pieces of an ``HTML`` literal.
  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    package init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity + interpolationCount * 16)
    }

    /// Adds trusted markup.
    package mutating func appendLiteral(_ literal: StaticString) { text += literal.description }

    /// Adds a value, escaped.
    package mutating func appendInterpolation(_ value: String) { text += HTML.escaped(value) }

    /// Adds a number.
    package mutating func appendInterpolation(_ value: some BinaryInteger) { text += "\(value)" }

    /// Adds a piece of markup.
    package mutating func appendInterpolation(_ piece: HTML) { text += piece.text }

    /// Adds a piece of markup, if there is one.
    package mutating func appendInterpolation(_ piece: HTML?) { text += piece?.text ?? "" }

    /// Adds pieces of markup.
    package mutating func appendInterpolation(_ pieces: [HTML]) { for piece in pieces { text += piece.text } }

    /// Adds the address of a place of this server.
    package mutating func appendInterpolation(link place: Place) { text += HTML.escaped(place.text) }

    /// Adds a value of a person's own, isolated from the direction of the text around it; nothing for no text.
    package mutating func appendInterpolation(own value: String) {
      guard !value.isEmpty else { return }
      text += "<bdi>\(HTML.escaped(value))</bdi>"
    }

    /// Adds an attribute without a value, if it applies.
    package mutating func appendInterpolation(flag name: StaticString, if applies: Bool) {
      if applies { text += " \(name)" }
    }
  }
}

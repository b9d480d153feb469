package import Domain

/// The content of a mail, from which both the plain text and the HTML are made.
package struct Letter: Sendable, Equatable {
  /// A part of a letter.
  package enum Block: Sendable, Equatable {
    /// A paragraph; line ends are kept.
    case paragraph(String)
    /// A secret that the reader copies, on a line of its own.
    case code(String)
    /// A link on a line of its own.
    case link(String, url: String)
    /// Entries with a title each.
    case list([Entry])
    /// A remark in small type, after a line.
    case remark(String)
  }

  /// An entry of a list.
  package struct Entry: Sendable, Equatable {
    package let title: String
    /// Empty for none.
    package let body: String

    package init(title: String, body: String) {
      self.title = title
      self.body = body
    }
  }

  package let language: Language
  /// The subject: one line without control characters.
  package let subject: String
  package let blocks: [Block]

  /// Creates a letter. Line ends and control characters in the subject become spaces, because it may quote the
  /// text of a record.
  package init(_ language: Language, subject: String, _ blocks: [Block]) {
    self.language = language
    self.subject = Self.line(subject)
    self.blocks = blocks
  }

  /// The letter as plain text.
  package var text: String {
    blocks.map { block in
      switch block {
      case .paragraph(let text): Self.visible(text)
      case .code(let code): "    \(code)"
      case .link(let label, let url): "\(label)\n\(url)"
      case .list(let entries):
        entries.map { entry in
          let body = Self.visible(entry.body).split(whereSeparator: \.isNewline).map { "\n  \($0)" }.joined()
          return "- \(Self.line(entry.title))\(body)"
        }.joined(separator: "\n")
      case .remark(let text): "-- \n\(Self.visible(text))"
      }
    }.joined(separator: "\n\n") + "\n"
  }

  /// The letter as a simple HTML page without images, scripts or remote content.
  package var html: String {
    let body = blocks.map { block in
      switch block {
      case .paragraph(let text): "<p>\(Self.html(text))</p>"
      case .code(let code):
        "<p><code style=\"font-size:110%;word-break:break-all\">\(Self.html(code))</code></p>"
      case .link(let label, let url): "<p><a href=\"\(Self.html(url))\">\(Self.html(label))</a></p>"
      case .list(let entries):
        "<ul>\n"
          + entries.map { entry in
            let body = entry.body.isEmpty ? "" : "<br>\(Self.html(entry.body))"
            return "<li><b>\(Self.html(Self.line(entry.title)))</b>\(body)</li>"
          }.joined(separator: "\n") + "\n</ul>"
      case .remark(let text): "<hr><p style=\"color:#666;font-size:90%\">\(Self.html(text))</p>"
      }
    }
    return """
      <!doctype html>
      <html lang="\(language.rawValue)">
      <head><meta charset="utf-8"><title>\(Self.html(subject))</title></head>
      <body style="font-family:sans-serif;line-height:1.4">
      \(body.joined(separator: "\n"))
      </body>
      </html>

      """
  }

  /// Returns the text without control characters, other than line ends, and with line feeds only.
  private static func visible(_ text: String) -> String {
    text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { line in
      String(String.UnicodeScalarView(line.unicodeScalars.filter { isVisible($0) }))
    }.joined(separator: "\n")
  }

  /// Returns the text as one line.
  private static func line(_ text: String) -> String {
    visible(text).split(whereSeparator: \.isNewline).joined(separator: " ").trimmingSpaces()
  }

  private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value == 0x09 || scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value)
  }

  /// Returns the text as HTML: every character with a meaning is escaped, and line ends are kept.
  private static func html(_ text: String) -> String {
    var escaped = ""
    for character in visible(text) {
      switch character {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      case "\n": escaped += "<br>\n"
      default: escaped.append(character)
      }
    }
    return escaped
  }
}

extension Letter {
  /// Returns the mail with this letter.
  package func message(
    from: MailAddress,
    to: MailAddress,
    messageID: String,
    date: Instant
  ) -> MailMessage {
    MailMessage(
      from: from,
      to: to,
      subject: subject,
      text: text,
      html: html,
      messageID: messageID,
      date: date
    )
  }
}

/// The text of a notice, with placeholders for columns of a record.
package struct NoticeTemplate: Sendable, Hashable {
  /// The name of the template, by which effects of its app refer to it. Outside the app it is `app.name`; see
  /// ``belonging(to:)``.
  package let name: String
  /// The title, one line. `{column}` stands for a column of the record's view.
  package let title: String
  /// The body, with the same placeholders as the title.
  package let body: String
  /// The text in Swedish; nil if there is none.
  package let swedish: Text?

  /// The text of a template in one language.
  package struct Text: Sendable, Hashable {
    package let title: String
    package let body: String

    package init(title: String, body: String) {
      self.title = title
      self.body = body
    }
  }

  /// Creates a template.
  package init(name: String, title: String, body: String, swedish: Text? = nil) {
    self.name = name
    self.title = title
    self.body = body
    self.swedish = swedish
  }

  /// Returns the text in a language; the English one if there is no other.
  package func text(in language: Language) -> Text {
    switch language {
    case .english: Text(title: title, body: body)
    case .swedish: swedish ?? Text(title: title, body: body)
    }
  }

  /// Returns the same template with its full name, `app.name`. Templates of two apps may have the same name.
  ///
  /// The engine's own templates have neither an app nor a dot in their names.
  package func belonging(to app: String) -> NoticeTemplate {
    NoticeTemplate(name: "\(app).\(name)", title: title, body: body, swedish: swedish)
  }

  /// Returns a line with the values of the columns in place of the placeholders.
  ///
  /// A column that is missing or null becomes empty text. Braces in values are not expanded.
  package static func fill(_ line: String, with fields: JSONObject) -> String {
    var text = ""
    var rest = line[...]
    while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
      text += rest[..<open]
      let column = String(rest[rest.index(after: open)..<close])
      if Identifier.isWord(column) {
        text += (fields[column] ?? .null).displayText
      } else {
        text += rest[open...close]
      }
      rest = rest[rest.index(after: close)...]
    }
    return text + rest
  }

  /// The columns in the placeholders of title and body, in all languages, without duplicates.
  package var columns: [String] {
    var found: [String] = []
    for line in [title, body] + (swedish.map { [$0.title, $0.body] } ?? []) {
      for part in line.split(separator: "{", omittingEmptySubsequences: false).dropFirst() {
        guard let close = part.firstIndex(of: "}") else { continue }
        let column = String(part[..<close])
        if Identifier.isWord(column), !found.contains(column) { found.append(column) }
      }
    }
    return found
  }
}

extension JSONValue {
  /// The value as people read it: a string without quotation marks, empty text for null, otherwise JSON.
  package var displayText: String {
    switch self {
    case .null: ""
    case .string(let text): text
    default: text
    }
  }
}

extension NoticeTemplate: NamedDecodable, Encodable {
  private enum CodingKeys: String, CodingKey {
    case name, title, body
    case swedish = "sv"
  }

  package init(name: String?, from decoder: any Decoder) throws {
    let object = try StrictObject(decoder, keys: ["title", "body", "sv"] + (name == nil ? ["name"] : []))
    self.init(
      name: try name ?? object.required("name"),
      title: try object.required("title"),
      body: try object.value("body", default: ""),
      swedish: try object.optional("sv")
    )
  }
}

extension NoticeTemplate.Text: Codable {
  private enum CodingKeys: String, CodingKey {
    case title, body
  }

  package init(from decoder: any Decoder) throws {
    let object = try StrictObject(decoder, keys: ["title", "body"])
    self.init(title: try object.required("title"), body: try object.value("body", default: ""))
  }
}

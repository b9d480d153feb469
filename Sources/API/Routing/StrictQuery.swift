internal import Domain
package import FoundationEssentials

/// Reads the parameters of a query. Unknown and repeated ones have been refused: ``Operation/requireParameters(_:)``.
package struct StrictQuery {
  /// The maximum number of items in a page.
  package static let maximumLimit = 200

  private let values: [String: [String]]

  package init(_ request: APIRequest) {
    values = Dictionary(grouping: request.query, by: \.name).mapValues { $0.map(\.value) }
  }

  /// The value of a parameter; nil if it is not given.
  package func text(_ name: String) -> String? { values[name]?.first }

  /// All values of a repeatable parameter, in order.
  package func all(_ name: String) -> [String] { values[name] ?? [] }

  /// Returns true or false; false if the parameter is not given.
  ///
  /// - Throws: `invalid_input` for other text.
  package func flag(_ name: String) throws -> Bool {
    switch text(name) {
    case nil, "false": return false
    case "true": return true
    case .some(let other):
      throw DomainError(
        .invalidInput,
        "\(name)=\(Quoted(other))",
        hint: "write \(name)=true or \(name)=false"
      )
    }
  }

  /// Returns the number of items of a page: 50 if none is given, at most 200.
  ///
  /// - Throws: `invalid_input` for text that is not a positive whole number.
  package func limit(standard: Int = 50, maximum: Int = maximumLimit) throws -> Int {
    guard let text = text("limit") else { return standard }
    guard text.utf8.count <= 9, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text),
      number > 0
    else { throw DomainError(.invalidInput, "limit=\(Quoted(text)) is not a positive whole number") }
    return min(number, maximum)
  }

  /// Returns a number of seconds; 0 if none is given.
  ///
  /// - Throws: `invalid_input` unless it is a whole number up to the maximum.
  package func seconds(_ name: String, maximum: Int) throws -> Int {
    guard let text = text(name) else { return 0 }
    guard text.utf8.count <= 9, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text),
      number <= maximum
    else {
      throw DomainError(.invalidInput, "\(name)=\(Quoted(text)) is not a number of seconds, 0 to \(maximum)")
    }
    return number
  }

  /// Returns the names in `fields`, `id` first; nil if it is not given.
  ///
  /// - Throws: `unknown_fields` for another name, with the closest one as a hint.
  package func fields(among known: [String]) throws -> [String]? {
    guard let text = text("fields") else { return nil }
    let given = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    let unknown = given.filter { !known.contains($0) }
    guard unknown.isEmpty else {
      throw DomainError(
        .unknownFields,
        "there is no field \(unknown.map { Quoted($0).description }.joined(separator: ", "))",
        hint: Suggestion.closest(to: unknown[0], among: known).map { "did you mean \($0)?" }
          ?? "use only: \(known.joined(separator: ", "))",
        details: ["fields": .strings(unknown)]
      )
    }
    return known.filter { $0 == "id" || given.contains($0) }
  }

  /// Returns an id.
  ///
  /// - Throws: `invalid_id`.
  package func id(_ name: String) throws -> UUID? { try text(name).map { try UUID(parsing: $0) } }

  /// The parameters of a list, for the document.
  package static let page = [
    Operation.Parameter(
      "limit",
      "Maximum number of items (default 50); larger values mean 200",
      .integer(minimum: 1)
    ),
    Operation.Parameter("after", "Cursor: `next` of the previous page"),
  ]
}

internal import Domain
package import Engine
package import Terminal

/// What a command that changes something reports: a sentence for people, fields for programs.
package struct ChangeReport: Codable {
  let sentence: String
  let fields: [(Column, Cell)]

  package init(_ sentence: String, _ fields: [(Column, Cell)]) {
    self.sentence = sentence
    self.fields = fields
  }

  /// A field as it is kept for a repetition of the command.
  private struct KeptField: Codable {
    let key: String
    let json: String
  }

  private enum CodingKeys: CodingKey { case sentence, fields }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    sentence = try container.decode(String.self, forKey: .sentence)
    fields = try container.decode([KeptField].self, forKey: .fields).map {
      (Column($0.key), Cell(try JSONValue(parsing: $0.json)))
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(sentence, forKey: .sentence)
    try container.encode(
      fields.map { KeptField(key: $0.0.key, json: JSONText.encode($0.1)) },
      forKey: .fields
    )
  }
}

/// The options that name the company of a command and the member to act as.
package protocol CompanyPlace {
  /// Runs a command's body with the services and the acting context, then closes the connections.
  func withActingContext<Value>(_ body: (Services, ActingContext) async throws -> Value) async throws -> Value
}

extension CompanyOptions: CompanyPlace {
  package func withActingContext<Value>(_ body: (Services, ActingContext) async throws -> Value) async throws
    -> Value
  {
    try await withActingContext(as: .admin, body)
  }
}

extension CompanyArgument: CompanyPlace {}

extension KeyOption {
  /// Runs a command that changes something and reports it. A repetition with the idempotency key reports what the first
  /// command has reported, whatever its words mean by then.
  ///
  /// - Parameters:
  ///   - isTrial: true for a dry run, which uses no key.
  ///   - content: the content of a file that the command names.
  /// - Throws: `invalid_input` for an empty or too long key, `idempotency_conflict`.
  package func change(
    _ company: some CompanyPlace,
    _ output: OutputOptions,
    isTrial: Bool = false,
    content: String? = nil,
    _ body: (Services, ActingContext) async throws -> ChangeReport
  ) async throws {
    let report = try await company.withActingContext { services, acting in
      guard !isTrial else { return try await body(services, acting) }
      return try await once(services, acting, Self.written + [content]) { try await body(services, acting) }
    }
    try output.report(report.sentence, report.fields)
  }

  /// The words of this command line without those that only say how it is answered.
  private static var written: [String] {
    var words: [String] = []
    var isValue = false
    for word in CommandLine.arguments.dropFirst() {
      let isAnswering = ["--idempotency-key", "--output", "-o", "--color", "--columns"].contains { option in
        word == option || word.hasPrefix("\(option)=")
      }
      if !isValue, !isAnswering { words.append(word) }
      isValue = isAnswering && !word.contains("=")
    }
    return words
  }
}

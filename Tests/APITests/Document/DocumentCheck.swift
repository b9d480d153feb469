import API
import Domain
import FoundationEssentials
import Store
import Testing

/// Validates answers against the document, so that the document cannot differ from the handlers.
struct DocumentCheck {
  private let document: JSONObject
  private let operation: JSONObject

  /// - Parameters:
  ///   - types: the installed record types.
  ///   - path: the path of the request, which names the type of a record route.
  init?(_ route: Route, path: String, types: [RecordType]) {
    // Routes made up by tests do not describe their answers.
    guard !route.operation.answers.isEmpty else { return nil }
    let words = path.split(separator: "/").dropFirst().prefix(2).joined(separator: ".")
    let document = Document([route], types: types.filter { $0.name == words }).json
    let paths = document["paths"]?.object
    let method = route.method.rawValue.lowercased()
    guard let operation = paths?.members.first?.value.object?[method]?.object else { return nil }
    self.document = document
    self.operation = operation
  }

  /// The differences between an answer and the document; empty if there are none.
  func differences(of answer: TestAnswer) -> [String] {
    let validator = SchemaValidator(root: document)
    guard var described = operation["responses"]?.object?["\(answer.status)"]?.object else {
      return ["status \(answer.status) is not documented: \(answer.text.prefix(300))"]
    }
    if let reference = described["$ref"]?.string { described = validator.resolve(reference) ?? described }
    guard let content = described["content"]?.object else {
      return answer.bytes.isEmpty ? [] : ["status \(answer.status) is documented without a body"]
    }
    let mediaType = String(answer.headers["content-type"]?.prefix { $0 != ";" } ?? "")
    guard let media = content[mediaType] ?? content["*/*"] else {
      return ["media type \(mediaType) is not documented for status \(answer.status)"]
    }
    guard mediaType == "application/json" || mediaType == "application/problem+json" else { return [] }
    guard let schema = media.object?["schema"]?.object,
      let value = try? JSONValue(parsing: answer.text, limits: .stored)
    else { return ["the body is not JSON: \(answer.text.prefix(300))"] }
    return validator.faults(of: value, by: schema)
  }

  /// Records an issue for each difference between an answer and the document.
  static func require(_ answer: TestAnswer, to route: Route, path: String, types: [RecordType]) {
    for difference in DocumentCheck(route, path: path, types: types)?.differences(of: answer) ?? [] {
      Issue.record("\(route.method.rawValue) \(route.pattern): \(difference)")
    }
  }
}

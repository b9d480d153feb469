internal import API
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Terminal
internal import Web

/// A request for a page inside a company.
struct Visit: Sendable {
  let request: APIRequest
  let acting: ActingContext
  /// The grant by which the person acts on another member's records; nil for their own.
  let grant: Grant?
  /// True for somebody without an account, who can open no other page of the company.
  let isStranger: Bool

  /// A grant that somebody uses.
  struct Grant: Sendable {
    let id: UUID
    /// The name of the member who gave it.
    let giver: String
  }

  init(_ request: APIRequest, _ acting: ActingContext, grant: Grant? = nil, isStranger: Bool = false) {
    self.request = request
    self.acting = acting
    self.grant = grant
    self.isStranger = isStranger
  }

  /// What the path of each page begins with.
  private var root: [String] { ["c", company.slug] + (grant.map { ["for", $0.id.text] } ?? []) }

  var company: CompanyRow { acting.company }

  /// The field of each form with the person for whom its page was made, so that nothing is saved in the name of somebody who
  /// has signed in meanwhile.
  static let personField = "person"

  /// The person, as the forms of a page name them; empty for an operator.
  var person: String { acting.user?.text ?? "" }

  /// The fields of the form that was sent.
  ///
  /// - Throws: `malformed_request`, `invalid_input`.
  func form() throws -> FormBody { try request.form() }

  /// Returns a page of the company.
  func place(_ segments: String..., query: [(name: String, value: String)] = [], fragment: String? = nil)
    -> Place
  {
    Place(root + segments, query: query, fragment: fragment)
  }

  /// Returns a page of a record type.
  func place(
    of type: RecordType,
    _ segments: String...,
    query: [(name: String, value: String)] = [],
    fragment: String? = nil
  ) -> Place {
    let halves = type.name.split(separator: ".").map(String.init)
    return Place(root + halves + segments, query: query, fragment: fragment)
  }

  /// The type that the path names.
  ///
  /// - Throws: `not_found`.
  func typeName() throws -> String { "\(try request.parameter("app")).\(try request.parameter("type"))" }

  /// The record that the path names.
  func recordName() throws -> String { try request.parameter("id") }

  /// The path of the API's routes for a type.
  static func path(of type: String, _ segments: String...) -> [String] {
    ["v1"] + type.split(separator: ".").map(String.init) + segments
  }
}

extension APIRequest {
  /// The fields of a form that a browser sent.
  ///
  /// - Throws: `malformed_request` for text that is no form, `invalid_input` for too many fields.
  func form() throws -> FormBody {
    guard case .bytes(let bytes) = body else { return FormBody() }
    guard let text = String(validating: bytes, as: UTF8.self), let pairs = PercentCoding.query(text) else {
      throw DomainError(.malformedRequest, "the form cannot be decoded")
    }
    return try FormBody(pairs)
  }

  /// The language of a person who is not signed in, by their browser.
  var acceptedLanguage: Language {
    let names = (headers["accept-language"] ?? "").split(separator: ",").map { part in
      String(part).trimmingSpaces().prefix(2).lowercased()
    }
    return names.compactMap { Language(rawValue: String($0)) }.first ?? .english
  }

  /// The value of a cookie that the console sets for looks only; nil without it.
  func look(_ name: String) -> String? {
    for field in headers.all("cookie") {
      for pair in field.split(separator: ";") {
        let halves = pair.split(separator: "=", maxSplits: 1)
        if halves.count == 2, halves[0].drop(while: { $0 == " " }) == name { return String(halves[1]) }
      }
    }
    return nil
  }

  /// Returns the first value of a parameter; nil if it is absent or empty.
  func asked(_ name: String) -> String? { query.first { $0.name == name && !$0.value.isEmpty }?.value }

  /// What a visit to an identity provider has put into the query of the page to which it leads.
  var providerOutcome: [(name: String, value: String)] {
    query.filter { ProviderRoutes.outcomes.contains($0.name) }
  }
}

extension ScreenFrame {
  /// Returns the version of a record for a form: the ETag that a change requires, without quotes.
  func tag(_ record: JSONObject) -> String {
    let version = record["version"]?.number?.integer ?? 0
    return EntityTag(epoch: epoch, version: version, body: nil).text.filter { $0 != "\"" }
  }
}

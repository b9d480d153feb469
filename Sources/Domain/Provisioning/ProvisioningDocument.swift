/// A provisioning file: a mapping from slugs to companies, under `companies`.
///
/// Decode it with ``ProvisionedTypes/userInfo``, which contains the sections of the record types.
package struct ProvisioningDocument: Sendable, Hashable {
  /// The companies in file order.
  package let companies: [CompanyState]

  package init(companies: [CompanyState]) { self.companies = companies }
}

extension ProvisioningDocument: Decodable {
  package init(from decoder: any Decoder) throws {
    let object = try StrictObject(decoder, keys: ["companies"])
    companies = try object.named("companies")
    guard !companies.isEmpty else {
      throw object.refusal("companies", "the file contains no company", hint: "add a company by its slug")
    }
    try Self.requireOneName(companies)
  }

  /// Requires that every person has one name in the file: a person's name is the same in all companies.
  private static func requireOneName(_ companies: [CompanyState]) throws {
    var names: [String: String] = [:]
    for company in companies {
      for member in company.members ?? [] {
        guard let name = member.name, let other = names.updateValue(name, forKey: member.key), other != name
        else {
          continue
        }
        throw DomainError(
          .invalidDocument,
          "\(member.email) has the name \(Quoted(name)) here and \(Quoted(other)) in another company",
          hint: "use the same name in all companies"
        ).standing(at: "companies.\(company.slug).members.\(member.email).name")
      }
    }
  }
}

extension CompanyState: NamedDecodable {
  package init(name slug: String?, from decoder: any Decoder) throws {
    let sections = NamedSection.known(to: decoder)
    let keys = Self.keys + sections.map(\.name) + ["records"] + (slug == nil ? ["slug"] : [])
    let object = try StrictObject(decoder, keys: keys)
    try self.init(
      slug: DocumentPlace(decoder).locating { try Slug(parsing: slug ?? object.required("slug")).text }
    )
    name = try object.optional("name")
    kind = try object.choice("kind")
    timeZone = try object.optional("timezone").map { TimeZoneName.canonical($0) }
    status = try object.choice("status")
    if kind == .system || status == .erased {
      throw object.refusal(kind == .system ? "kind" : "status", "a file cannot set this value")
    }
    if let apps: [String] = try object.optional("apps") {
      self.apps = AppChoiceState(enabled: try Self.unique(apps, by: \.self, "apps", object))
    }
    if object.has("roles") { roles = try Self.unique(object.named("roles"), by: \.name, "roles", object) }
    if object.has("members") {
      members = try Self.unique(object.named("members"), by: \.key, "members", object)
    }
    invites = try object.optional("invites")
    webhooks = try object.optional("webhooks")
    if let entitlements: [EntitlementState] = try object.optional("entitlements") {
      self.entitlements = try Self.unique(entitlements, by: \.text, "entitlements", object)
    }
    if let overlays: [OverlayState] = try object.optional("overlays") {
      self.overlays = try Self.unique(overlays, by: \.name, "overlays", object)
    }
    quotas = try object.optional("quotas", as: QuotaTexts.self)?.quotas
    for quota in quotas ?? [] where !(0...1_000_000_000_000).contains(quota.maximum) {
      throw object.refusal("quotas", "a quota must be 0 to 1000000000000, not \(quota.maximum)")
    }
    if let limits: [QueueLimitState] = try object.optional("queue_limits") {
      queueLimits = try Self.unique(limits, by: \.text, "queue_limits", object)
    }
    workflows = try object.optional("workflows", as: WorkflowChoiceTexts.self)?.choices
    numbers = try object.optional("numbers", as: NumberFormatTexts.self)?.formats
    settings = try object.optional("settings", as: SettingTexts.self)?.settings
    if object.has("schedules") { schedules = try object.named("schedules") }
    for section in sections where object.has(section.name) {
      records.append(RecordSection(type: section.type, texts: try object.required(section.name)))
    }
    for (type, texts) in try object.optional("records", as: SectionTexts.self)?.sections ?? [] {
      guard !records.contains(where: { $0.type == type }) else {
        throw object.refusal(
          "records",
          "\(type) occurs twice in the file",
          hint: "put the records of \(type) into one section"
        )
      }
      records.append(RecordSection(type: type, texts: texts))
    }
  }

  /// The keys that every company may have, whatever apps are installed.
  static let keys = [
    "name", "kind", "timezone", "status", "apps", "roles", "members", "invites", "webhooks", "entitlements",
    "quotas", "queue_limits", "workflows", "numbers", "settings", "schedules", "overlays",
  ]

  private static func unique<Element>(
    _ elements: [Element],
    by key: (Element) -> String,
    _ section: String,
    _ object: StrictObject
  ) throws -> [Element] {
    var seen: Set<String> = []
    for element in elements where !seen.insert(key(element)).inserted {
      throw object.refusal(section, "\(key(element)) occurs twice")
    }
    return elements
  }
}

extension RoleState: NamedDecodable {
  package init(name: String?, from decoder: any Decoder) throws {
    let object = try StrictObject(decoder, keys: ["label", "permissions"] + (name == nil ? ["name"] : []))
    let name = try name ?? object.required("name")
    try DocumentPlace(decoder).locating {
      guard Identifier.isWord(name), BuiltInRole(rawValue: name) == nil else {
        throw DomainError(
          .invalidName,
          "\(Quoted(name)) cannot be the name of a role",
          hint: "use a lower-case word that is not a built-in role, such as foreman"
        )
      }
    }
    self.init(
      name: name,
      label: try object.optional("label"),
      permissions: try object.required("permissions")
    )
  }
}

extension MemberState: NamedDecodable {
  package init(name email: String?, from decoder: any Decoder) throws {
    let keys = ["name", "role", "status"] + (email == nil ? ["email"] : [])
    let object = try StrictObject(decoder, keys: keys)
    let status: MemberStatus? = try object.choice("status")
    guard status != .removed else {
      throw object.refusal(
        "status",
        "a file cannot contain removed members",
        hint: "delete the member's entry, then apply the file with --prune"
      )
    }
    let place = DocumentPlace(decoder)
    self.init(
      email: try place.locating { try EmailAddress(parsing: email ?? object.required("email")).text },
      name: try object.optional("name"),
      role: try object.optional("role"),
      status: status
    )
  }
}

extension InviteState: Decodable {
  package init(from decoder: any Decoder) throws {
    let object = try StrictObject(decoder, keys: ["role", "uses", "days", "email"])
    let uses = try object.value("uses", default: 1)
    let days = try object.value("days", default: 14)
    guard (1...1000).contains(uses) else {
      throw object.refusal("uses", "an invite has 1 to 1000 uses, not \(uses)")
    }
    guard (1...365).contains(days) else {
      throw object.refusal("days", "an invite is valid for 1 to 365 days, not \(days)")
    }
    self.init(
      role: try object.required("role"),
      uses: uses,
      days: days,
      email: try object.optional("email", as: EmailAddress.self)?.key
    )
  }
}

extension WebhookState: Decodable {
  package init(from decoder: any Decoder) throws {
    let object = try StrictObject(decoder, keys: ["url", "events", "active", "secret"])
    let events: [String] = try object.required("events")
    guard !events.isEmpty else { throw object.refusal("events", "a webhook requires at least one event") }
    let secret: String? = try object.optional("secret")
    self.init(
      url: try object.required("url"),
      events: events,
      isActive: try object.value("active", default: true),
      secret: try secret.map { text in
        try DocumentPlace(decoder, "secret").locating { try SecretReference(parsing: text) }
      }
    )
  }
}

extension StrictObject {
  /// Returns an `invalid_document` error whose message and details name the path of a key in this object.
  func refusal(_ key: String, _ message: String, hint: String? = nil) -> DomainError {
    let refusal = invalid(key, message, hint: hint)
    let path = refusal.details["path"]?.string ?? key
    return DomainError(refusal.code, "\(path): \(message)", hint: hint, details: refusal.details)
  }

  /// Returns the value of a key from a fixed set of words; nil if it is missing or null.
  ///
  /// - Throws: `invalid_document` for another word, with the closest one as a hint.
  func choice<Word: RawRepresentable & CaseIterable>(_ key: String) throws -> Word?
  where Word.RawValue == String {
    guard let text: String = try optional(key) else { return nil }
    if let word = Word(rawValue: text) { return word }
    let words = Word.allCases.map(\.rawValue)
    let closest = Suggestion.closest(to: text, among: words)
    throw refusal(
      key,
      "unknown value \(Quoted(text))",
      hint: closest.map { "did you mean \($0)?" } ?? "use one of: \(words.joined(separator: ", "))"
    )
  }
}

/// The position of a decoder in a document. It is added to errors that lack a position.
struct DocumentPlace {
  private let path: String

  init(_ decoder: any Decoder, _ key: String? = nil) {
    path = DocumentPath.text(decoder.codingPath + (key.map { [NamedKey($0)] } ?? []))
  }

  func locating<Value>(_ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch let refusal as DomainError where refusal.details["path"] == nil {
      throw refusal.standing(at: path)
    }
  }
}

extension DomainError {
  /// Returns the same error with a position in its message and details, unless it has one already.
  package func standing(at path: String) -> DomainError {
    guard !path.isEmpty, details["path"] == nil else { return self }
    var located = details
    located["path"] = .string(path)
    return DomainError(code, "\(path): \(message)", hint: hint, details: located)
  }
}

internal import Domain
package import Engine
internal import FoundationEssentials

/// The preferences of the caller: which notices they get in the inbox and by mail, digests, and the language of mails.
package struct PreferenceRoutes: Sendable {
  private let services: Services

  package init(_ services: Services) { self.services = services }

  package var routes: [Route] { [show, change] }

  private static let deliveries = NoticePreferences.Delivery.allCases.map(\.rawValue)
  private static let digests = MailPreferences.Digest.allCases.map(\.rawValue)
  private static let languages = Language.allCases.map(\.rawValue)

  private static let schema = Schema.object([
    Schema.Member("notices", .anyObject, "The delivery of each kind of notice: inbox, mail or off"),
    Schema.Member("digest", .enumeration(digests), "One mail with the open notices"),
    Schema.Member("language", .nullable(.enumeration(languages)), "Null for the language of the company"),
    Schema.Member("company_language", .enumeration(languages)),
    Schema.Member("email", .string),
    Schema.Member("email_verified", .boolean, "Notices are mailed to verified addresses only"),
    Schema.Member("mail_refused", .nullable(.string), "The answer of a mail server that refused the address"),
  ])

  private var show: Route {
    Route(
      .get,
      "/v1/me/preferences",
      Operation(
        "showPreferences",
        tag: "me",
        "Show the caller's preferences",
        answers: [Operation.Answer(200, "The preferences.", Self.schema)]
      )
    ) { request in try await answer(request.acting()) }
  }

  private var change: Route {
    Route(
      .patch,
      "/v1/me/preferences",
      Operation(
        "changePreferences",
        tag: "me",
        "Change the caller's preferences, all or none",
        request: .object([
          .optional("notices", .anyObject, "Kinds of notices, or *, with inbox, mail or off"),
          .optional("digest", .enumeration(Self.digests)),
          .optional("language", .enumeration(Self.languages)),
        ]),
        // Without the preferences, because the scope of a token may permit changing but not reading them.
        answers: [Operation.Answer(204, "The preferences were changed.")],
        errors: [.notFound, .invalidInput]
      )
    ) { request in
      let acting = try request.acting()
      let change = try Self.change(RequestMembers(request))
      try await NoticePreferences(services).change(acting, change, among: topics())
      return .noContent
    }
  }

  private func topics() async throws -> [String] {
    try await InstalledApps(services).noticeTemplates().map(\.name)
  }

  private func answer(_ acting: ActingContext) async throws -> APIAnswer {
    let preferences = NoticePreferences(services)
    let chosen = try await preferences.list(acting)
    let mail = try await preferences.mail(acting)
    let usual = chosen["*"] ?? .inbox
    var notices: JSONObject = ["*": .string(usual.rawValue)]
    for topic in try await topics() { notices[topic] = .string((chosen[topic] ?? usual).rawValue) }
    return .json([
      "notices": .object(notices), "digest": .string(mail.digest.rawValue),
      "language": mail.language.map { .string($0.rawValue) } ?? .null,
      "company_language": .string(mail.companyLanguage.rawValue), "email": .string(mail.email),
      "email_verified": .bool(mail.isVerified), "mail_refused": mail.refusal.map { .string($0) } ?? .null,
    ])
  }

  private static func change(_ body: RequestMembers) throws -> NoticePreferences.Change {
    var change = NoticePreferences.Change()
    if let notices = try body.optionalObject("notices") {
      guard notices.members.count <= 1_000 else {
        throw DomainError(.valueTooLong, "notices has too many members")
      }
      change.notices = try notices.members.map { topic, value in
        guard let delivery = value.string.flatMap(NoticePreferences.Delivery.init(rawValue:)) else {
          throw DomainError(
            .invalidInput,
            "the delivery of \(Quoted(topic)) is not known",
            hint: "use one of: \(deliveries.joined(separator: ", "))"
          )
        }
        return (topic: topic, delivery: delivery)
      }
    }
    change.digest = try body.optionalChoice("digest", MailPreferences.Digest.self)
    if body.members["language"] != nil {
      change.language = .some(
        try body.optionalText("language", maximum: 100).map { try Language(parsing: $0) }
      )
    }
    return change
  }
}

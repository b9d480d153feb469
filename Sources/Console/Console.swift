package import API
internal import Domain
package import Engine
internal import FoundationEssentials
internal import Store
internal import Web

/// The console: pages in which the people of a company do their work.
///
/// A page is read in one transaction by ``Screens``, and changes something by sending the request of the API that a
/// program would send. So a page cannot do what the API refuses, and shows what it allows.
package struct Console: Sendable {
  let services: Services
  let runs = ImportRuns()
  let screens: Screens
  let records: Records
  let companies: OwnCompanies
  let inner: InnerAPI
  /// The identity providers with which people can sign in: the name and the title of each.
  let providers: [(name: String, title: String)]
  let guests: Guests
  let answers: SignInAnswers
  /// The way in for the person who has started the server; nil for none.
  let entrance: Entrance?

  /// - Parameters:
  ///   - records: the use cases, which all routes of a process share.
  ///   - inner: the routes of the API, with their limits.
  package init(
    _ services: Services,
    _ records: Records,
    inner: InnerAPI,
    providers: [(name: String, title: String)] = [],
    entrance: Entrance? = nil
  ) {
    self.services = services
    self.records = records
    self.inner = inner
    self.providers = providers
    self.entrance = entrance
    guests = Guests(services)
    answers = SignInAnswers(services)
    screens = Screens(records)
    companies = OwnCompanies(services)
  }

  /// The words of the pages for types, for clients that draw them by themselves.
  package static let typeNames: TypeNames = { type, language in TypeWords(type, Words.of(language)) }

  /// The most bytes of a form without files.
  static let mostFormBytes = 262_144

  package var routes: [Route] {
    [asset] + fieldRoutes + accountRoutes + letterRoutes + homeRoutes + cardRoutes + safetyRoutes
      + peopleRoutes
      + settingsRoutes + importRoutes + reportRoutes + workflowRoutes + linkRoutes + grantRoutes + viewRoutes
      + deletedRoutes + recordRoutes + grantedRoutes
  }

  /// Files under names that change with their content.
  private var asset: Route {
    Route(.get, "/a/{name}", Self.operation, admission: .everybody, face: .asset) { request in
      try Self.asset(request)
    }
  }

  /// Returns the file that a path names.
  static func asset(_ request: APIRequest) throws -> APIAnswer {
    guard let asset = AssetLibrary.standard.asset(try request.parameter("name")) else {
      throw DomainError(.notFound)
    }
    let headers: APIHeaders = [
      "content-type": asset.mediaType, "cache-control": "public, max-age=31536000, immutable",
    ]
    return APIAnswer(headers: headers, body: .bytes(asset.bytes))
  }

  /// The description of a page; pages are not in the document of the API.
  static let operation = Operation("page", tag: "console", "Show a page", hasOpenQuery: true, answers: [])

  /// Returns the route of a page that everybody may see.
  func open(
    _ method: APIMethod,
    _ pattern: String,
    admitting admission: Route.Admission = .everybody,
    _ handler: @escaping @Sendable (APIRequest) async throws -> APIAnswer
  ) -> Route {
    Route(
      method,
      pattern,
      Self.operation,
      admission: admission,
      body: method == .post ? .form(maximumBytes: Self.mostFormBytes) : BodyKind.none,
      face: .page,
      handler: handler
    )
  }

  /// The pages of records for those who act by a grant: `/c/{company}/for/{grant}` and what follows.
  private var grantedRoutes: [Route] {
    recordRoutes.map { route in
      let rest = route.pattern.dropFirst("/c/{company}".count)
      return Route(
        route.method,
        "/c/{company}/for/{grant}\(rest)",
        Self.operation,
        admission: .caller,
        body: route.body,
        face: .page,
        handler: route.handler
      )
    }
  }

  /// Returns the route of a page inside a company: `/c/{company}` and what follows.
  ///
  /// The path names the company, so that a bookmark or a second tab never acts on another one. A person who is signed in
  /// to another company of theirs is asked to switch.
  func inside(
    _ method: APIMethod,
    _ pattern: String,
    body: BodyKind? = nil,
    _ handler: @escaping @Sendable (Visit) async throws -> APIAnswer
  ) -> Route {
    Route(
      method,
      "/c/{company}\(pattern)",
      Self.operation,
      admission: .caller,
      body: body ?? (method == .post ? .form(maximumBytes: Self.mostFormBytes) : BodyKind.none),
      face: .page
    ) { request in
      let visit = Visit(request, try request.acting())
      guard try request.parameter("company") == visit.company.slug else { return try await elsewhere(visit) }
      // Where the path of a record names a grant, the person acts on the records of its giver.
      let isGranted = request.optional("grant") != nil && request.optional("app") != nil
      let visitor = isGranted ? try await entered(visit) : visit
      if let page = try await madeForAnother(visitor) { return page }
      return try await handler(visitor)
    }
  }
}

internal import Domain
internal import Engine
internal import Files
internal import FoundationEssentials
internal import Postgres

/// The version of a file: the file itself, or its thumbnail.
typealias FileVariant = SignedLink.Variant

extension FileRoutes {
  /// The routes of links.
  var linkRoutes: [Route] {
    [
      Route(
        .post,
        "/v1/files/{file}/link",
        Operation(
          "linkFile",
          tag: "files",
          "Make a link that gives its bearer a file for at most 15 minutes",
          request: .object([
            .optional("variant", .enumeration(["content", "thumbnail"])),
            .optional("seconds", .integer(minimum: 1, maximum: Int64(SignedLink.longestValidity))),
          ]),
          answers: [
            .init(
              201,
              "The link",
              .object([.init("url", .format("uri")), .init("expires_at", .time)])
            )
          ],
          errors: [.notFound, .wrongState]
        )
      ) { request in try await link(request) },
      Route(
        .get,
        "/v1/links/{link}",
        Operation(
          "followLink",
          tag: "files",
          "Download the file of a link",
          parameters: [.init("Range", in: .header, "One range of bytes")],
          answers: Self.downloads,
          errors: [.notFound, .linkExpired]
        ),
        admission: .everybody
      ) { request in
        let content = try await attachments.follow(try request.parameter("link"), now: now())
        var answer = FileDownload.answer(
          content,
          try services.store(),
          to: request,
          caching: "private, no-store"
        )
        answer.headers["referrer-policy"] = "no-referrer"
        return answer
      },
    ]
  }

  private func link(_ request: APIRequest) async throws -> APIAnswer {
    let (variant, seconds) = try Self.wish(RequestMembers(request))
    let acting = try request.acting()
    let file = try request.id("file")
    let link = try await attachments.link(acting, file, variant, seconds: seconds, now: now())
    let expires = Instant(microseconds: link.expires * 1_000_000)
    return .json(
      [
        "url": .string("\(request.origin)/v1/links/\(link.text)"), "expires_at": .string(expires.description),
      ],
      status: 201
    )
  }

  /// Returns the wanted version of a file, and the validity of its link.
  private static func wish(_ body: RequestMembers) throws -> (FileVariant, seconds: Int) {
    let seconds = try body.optionalInteger("seconds") ?? SignedLink.longestValidity
    switch try body.optionalText("variant") {
    case nil, "content": return (.content, seconds)
    case "thumbnail": return (.thumbnail, seconds)
    default: throw DomainError(.invalidInput, "variant must be content or thumbnail")
    }
  }
}

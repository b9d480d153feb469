internal import API
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Web

/// The people of a company, their roles, and invitations with a QR code.
extension Console {
  var peopleRoutes: [Route] {
    [
      inside(.get, "/people") { try await people($0) }, inside(.post, "/people/invite", invite(_:)),
      inside(.post, "/people/invites/{invite}/revoke", revoke(_:)),
      inside(.post, "/people/{member}/role", changeRole(_:)),
      inside(.post, "/people/{member}/{verb}", changeStatus(_:)),
    ]
  }

  /// - Parameter form: the invitation that was not made; nil for none.
  private func people(
    _ visit: Visit,
    fault: DomainError? = nil,
    made: JSONObject? = nil,
    form: FormBody? = nil
  ) async throws -> APIAnswer {
    let frame = try await screens.frame(visit.acting)
    let members = try await inner.send(.get, ["v1", "members"], for: visit.request).object
    let roles = try await list(["v1", "roles"], if: frame.may("role.read"), visit)
    let invites = try await list(["v1", "invites"], if: frame.may("invite.read"), visit)
    let page = PeoplePage(
      visit: visit,
      frame: frame,
      members: members["items"]?.array?.compactMap(\.object) ?? [],
      roles: roles,
      invites: invites,
      fault: fault,
      made: made,
      form: form,
      key: newKey()
    )
    let status = fault == nil ? 200 : 422
    return made == nil ? .page(page.html, status: status, for: visit.request) : .page(page.html, status: 201)
  }

  private func list(_ path: [String], if may: Bool, _ visit: Visit) async throws -> [JSONObject] {
    guard may else { return [] }
    let answer = try await inner.send(.get, path, for: visit.request)
    return answer.object["items"]?.array?.compactMap(\.object) ?? []
  }

  private func invite(_ visit: Visit) async throws -> APIAnswer {
    let form = try visit.form()
    var body: JSONObject = ["role": .string(form["role"] ?? "")]
    if let email = form.text("email") { body["email"] = .string(email) }
    do {
      if let uses = try form.whole("uses") { body["uses"] = .integer(uses) }
      if let days = try form.whole("days") { body["days"] = .integer(days) }
      let answer = try await inner.send(
        .post,
        ["v1", "invites"],
        json: body,
        key: form["key"],
        for: visit.request
      )
      // The code is shown here only, so the page is not left by a redirection.
      return try await people(visit, made: answer.object)
    } catch let error as DomainError where error.isAboutInput {
      return try await people(visit, fault: error, form: form)
    }
  }

  private func revoke(_ visit: Visit) async throws -> APIAnswer {
    try await change(visit) {
      _ = try await inner.send(
        .delete,
        ["v1", "invites", try visit.request.parameter("invite")],
        for: visit.request
      )
    }
  }

  private func changeRole(_ visit: Visit) async throws -> APIAnswer {
    let role = try visit.form()["role"] ?? ""
    return try await change(visit) {
      let path = ["v1", "members", try visit.request.parameter("member")]
      _ = try await inner.send(.patch, path, json: ["role": .string(role)], for: visit.request)
    }
  }

  private func changeStatus(_ visit: Visit) async throws -> APIAnswer {
    let verb = try visit.request.parameter("verb")
    guard ["suspend", "resume", "remove"].contains(verb) else { throw DomainError(.notFound) }
    return try await change(visit) {
      let path = ["v1", "members", try visit.request.parameter("member")]
      if verb == "remove" {
        _ = try await inner.send(.delete, path, for: visit.request)
      } else {
        _ = try await inner.send(.post, path + [verb], for: visit.request)
      }
    }
  }

  private func change(_ visit: Visit, _ body: () async throws -> Void) async throws -> APIAnswer {
    do {
      try await body()
      return .see(visit.place("people"))
    } catch let error as DomainError where error.isAboutInput {
      return try await people(visit, fault: error)
    }
  }
}

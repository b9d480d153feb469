internal import API
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store
internal import Web

/// Lists with filters that people save, and the reports on the company's dashboard.
extension Console {
  var viewRoutes: [Route] {
    [
      inside(.post, "/views", saveView(_:)), inside(.post, "/views/{view}", removeView(_:)),
    ]
  }

  var views: SavedViews { SavedViews(services) }

  private func saveView(_ visit: Visit) async throws -> APIAnswer {
    let form = try visit.form()
    let kind: SavedViews.Kind = form["kind"] == "report" ? .report : .list
    let subject = form["subject"] ?? ""
    let (name, query, isShared) = (form["name"] ?? "", form["query"] ?? "", form["shared"] == "on")
    let type = kind == .list ? try await type(subject) : nil
    do {
      try await views.save(
        visit.acting,
        kind,
        subject: subject,
        name: name,
        query: query,
        isShared: isShared
      )
    } catch let error as DomainError where error.isMendable {
      guard let type else { throw error }
      return try await list(visit, ListQuery(PercentCoding.query(query) ?? [], type), refusal: error) {
        $0.refused = (name, isShared, $1)
      }
    }
    return .see(Self.back(form, visit))
  }

  private func removeView(_ visit: Visit) async throws -> APIAnswer {
    let form = try visit.form()
    guard let id = UUID(text: try visit.request.parameter("view")) else { throw DomainError(.notFound) }
    try await views.remove(visit.acting, id)
    return .see(Self.back(form, visit))
  }

  /// The page from which a form was sent, within the company.
  static func back(_ form: FormBody, _ visit: Visit) -> Place {
    let home = visit.place()
    guard let place = form["back"].flatMap({ Place(returning: $0) }), place.text.hasPrefix(home.text) else {
      return home
    }
    return place
  }
}

package import Domain
internal import FoundationEssentials
internal import SignIn

/// The answers of lists: `{"items": […], "next": cursor}`. The last page has no `next`.
package enum ListAnswer {
  /// Returns a page.
  ///
  /// - Parameter next: the cursor of the next page; nil on the last one. It becomes a `Link` field too.
  package static func page(_ items: [JSONObject], next: String? = nil, of request: APIRequest? = nil)
    -> APIAnswer
  {
    var body: JSONObject = ["items": .array(items.map { .object($0) })]
    var headers = APIHeaders()
    if let next {
      body["next"] = .string(next)
      if let request { headers["link"] = link(next, request) }
    }
    return .json(body, headers: headers)
  }

  /// Returns the page of a short list that was read whole, after the item with an id.
  ///
  /// - Throws: `invalid_input` if no item has the id of the cursor.
  package static func slice<Item>(
    _ all: [Item],
    _ query: StrictQuery,
    of request: APIRequest,
    id: (Item) -> String,
    _ render: (Item) throws -> JSONObject
  ) throws -> APIAnswer {
    let limit = try query.limit()
    var start = 0
    if let after = query.text("after") {
      guard let place = all.firstIndex(where: { id($0) == after }) else {
        throw DomainError(
          .invalidInput,
          "\(Quoted(after)) is not a cursor of this list",
          hint: "read it again"
        )
      }
      start = place + 1
    }
    let page = all[start...].prefix(limit)
    let next = start + page.count < all.count ? page.last.map(id) : nil
    return self.page(try page.map(render), next: next, of: request)
  }

  /// Returns the value of a `Link` field that names the next page: the request's own query with another cursor.
  package static func link(_ next: String, _ request: APIRequest) -> String {
    let pairs = request.query.filter { $0.name != "after" } + [(name: "after", value: next)]
    return "<\(request.origin)\(request.path)?\(FormCoding.encode(pairs))>; rel=\"next\""
  }

  /// Returns the schema of a page.
  package static func schema(of item: Schema) -> Schema {
    .object([Schema.Member("items", .array(of: item)), .optional("next", .string, "Cursor of the next page")])
  }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hummingbird

/// Serves `SaveEndpoint` on the local machine.
///
///     save-server PORT
@main
enum SaveServer {
    static func main() async throws {
        guard CommandLine.arguments.count == 2, let port = Int(CommandLine.arguments[1]) else {
            print("usage: save-server PORT")
            exit(2)
        }
        let router = Router()
        router.post("saves") { request, _ in
            let body = try await request.body.collect(upTo: SaveEndpoint.maximumSize)
            let (status, text) = SaveEndpoint.response(to: body.readableBytesView)
            return Response(
                status: .init(code: status),
                body: ResponseBody(byteBuffer: ByteBuffer(string: text + "\n")))
        }
        let application = Application(
            router: router,
            configuration: .init(address: .hostname("127.0.0.1", port: port)))
        try await application.runService()
    }
}

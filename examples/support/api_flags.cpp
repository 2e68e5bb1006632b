// SPDX-License-Identifier: Apache-2.0
#include "api_flags.hpp"

namespace support {

void ApiServerFlags::add_to(Flags& flags) {
  flags.toggle(
      "--in-cluster", in_cluster,
      "use the API server of the cluster that this program runs in, as its service account");
  flags.text("--api-server", url, "use the API server at this URL, https://HOST[:PORT][/PATH]");
  flags.path("--token-file", token_file,
             "the bearer token for that API server; read for each request, so that you can replace "
             "the file");
  flags.path("--ca-file", ca_file, "the CA that signs the certificate of that API server, PEM");
  flags.number("--stale-after", stale_after, 1, 86'400,
               "seconds without contact to the API server after which what it said is stale");
  flags.excludes("--api-server", "--in-cluster");
  flags.needs("--token-file", "--api-server");
  flags.needs("--ca-file", "--api-server");
}

std::optional<ApiServer> ApiServerFlags::server(std::string& problem) const {
  if (in_cluster) {
    std::optional<ApiServer> found = in_cluster_server();
    if (!found) problem = "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set";
    return found;
  }
  std::optional<ApiServer> named = api_server_at(url, token_file, ca_file);
  if (!named) problem = "`" + url + "` is not https://HOST[:PORT][/PATH]";
  return named;
}

}  // namespace support

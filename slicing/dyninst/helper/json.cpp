#include "json.h"

#include <sstream>

#include <boost/property_tree/json_parser.hpp>
#include <boost/property_tree/ptree.hpp>

Request parse(const std::string &line) {
  std::istringstream in(line);
  boost::property_tree::ptree tree;
  boost::property_tree::read_json(in, tree);
  Request r;
  r.module = tree.get<std::string>("module");
  r.entry = tree.get<uint64_t>("entry");
  r.seconds = tree.get<unsigned>("seconds", 0);
  return r;
}

void Object::raw(const char *key, const std::string &json) {
  if (!body.empty())
    body += ',';
  body += '"';
  body += key;
  body += "\":";
  body += json;
}

void Object::number(const char *key, int64_t value) { raw(key, std::to_string(value)); }

void Object::text(const char *key, const std::string &value) {
  std::string quoted = "\"";
  for (unsigned char c : value) {
    if (c == '"' || c == '\\')
      quoted += '\\';
    // Nothing but ASCII goes out: names of files may be any bytes.
    quoted += c < ' ' || c > '~' ? '?' : static_cast<char>(c);
  }
  raw(key, quoted + '"');
}
